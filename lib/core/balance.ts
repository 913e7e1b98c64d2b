import type { OutcomeKind } from './records';
import type { LedgerEntry } from './run-record';

type End = OutcomeKind | 'held';

/** The account of a run: every selected message has exactly one end. */
export interface Balance {
  readonly selected: number;
  readonly succeeded: number;
  readonly returned: number;
  readonly discarded: number;
  readonly expired: number;
  /** Selected, but SQS did not take them: still in the dead-letter queue. */
  readonly held: number;
  /** Sent, and nobody knows what became of them. */
  readonly unknown: number;
  readonly holds: boolean;
  /** Up to 20 original ids that keep it from holding. */
  readonly openIds: readonly string[];
}

const SHOWN_IDS = 20;

/** Counts by message id, so that a message in two entries is one message. */
export function balanceOf(entries: Iterable<LedgerEntry>): Balance {
  const ends = new Map<string, End>();
  for (const entry of entries) {
    const known = ends.get(entry.originalMessageId);
    // A repeated send of one message has one business outcome: the known one.
    if (known === undefined || known === 'unknown')
      ends.set(entry.originalMessageId, entry.outcome ?? 'unknown');
  }
  const of = (kind: End): number => [...ends.values()].filter((value) => value === kind).length;
  const unknown = of('unknown');
  const openIds = [...ends].filter(([, kind]) => kind === 'unknown').map(([id]) => id);
  return {
    selected: ends.size,
    succeeded: of('succeeded'),
    returned: of('returned'),
    discarded: of('discarded'),
    expired: of('expired'),
    held: of('held'),
    unknown,
    holds: unknown === 0,
    openIds: openIds.slice(0, SHOWN_IDS),
  };
}
