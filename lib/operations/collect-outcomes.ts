import type { LedgerEntry, OutcomeCounts } from '../core/run-record';
import type { Clock, Ledger } from './redrive-ports';
import { iso } from './redrive-ports';

const PAGE = 500;
/** A call looks at no more than so many, so that it ends in time. */
const MOST = 20_000;

export interface Collected {
  readonly outcomes: OutcomeCounts;
  /** Codes and signatures of what came back. */
  readonly returnedFor: readonly string[];
  /** Entries that are still without an outcome, as far as was looked. */
  readonly open: readonly LedgerEntry[];
}

/** Writes down every outcome that consumers have reported since the last look. */
export async function collectOutcomes(runId: string, ledger: Ledger, clock: Clock): Promise<Collected> {
  let succeeded = 0;
  let returned = 0;
  const signatures = new Set<string>();
  const open = await ledger.open(runId, MOST);
  const stillOpen: LedgerEntry[] = [];
  for (let from = 0; from < open.length; from += PAGE) {
    const page = open.slice(from, from + PAGE);
    const reported = await ledger.outcomes(page.flatMap(({ newMessageId }) => newMessageId ?? []));
    const settled: LedgerEntry[] = [];
    for (const entry of page) {
      const outcome = reported.get(entry.newMessageId ?? '');
      if (outcome === undefined) {
        stillOpen.push(entry);
        continue;
      }
      if (outcome.outcome === 'succeeded') succeeded++;
      else {
        returned++;
        if (outcome.signature !== undefined) signatures.add(outcome.signature);
      }
      settled.push({
        ...entry,
        outcome: outcome.outcome,
        outcomeAt: iso(clock.now()),
        ...(outcome.outcome === 'returned'
          ? {
              returnedFor: {
                ...(outcome.code === undefined ? {} : { code: outcome.code }),
                ...(outcome.signature === undefined ? {} : { signature: outcome.signature }),
              },
            }
          : {}),
      });
    }
    if (settled.length > 0) await ledger.settle(settled);
  }
  return { outcomes: { succeeded, returned, expired: 0 }, returnedFor: [...signatures], open: stillOpen };
}
