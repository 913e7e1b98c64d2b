import { type Balance, balanceOf } from '../core/balance';
import type { LedgerEntry, RunRecord } from '../core/run-record';
import { isFinal, nextRunState, type RunEnding, type RunEvent } from '../core/run-states';
import { loadRun } from './begin-run';
import { collectOutcomes } from './collect-outcomes';
import { isOrphan } from './move-slice';
import { auditOf, LEASE_MS } from './preflight-run';
import {
  type Clock,
  iso,
  type Ledger,
  type ManagedQueue,
  type RedriveQueues,
  type RunStore,
} from './redrive-ports';

const LOOK_SECONDS = 10;
const SCAN_HOLD_SECONDS = 60;
const SCAN_BATCH = 10;
const MOST_SCANNED = 120_000;

export interface SettleDependencies {
  readonly queues: RedriveQueues;
  readonly ledger: Ledger;
  readonly store: RunStore;
  readonly clock: Clock;
  /** Tells the world of a run that ended. */
  announce(run: RunRecord, balance: Balance): Promise<void>;
}

export interface Settled {
  readonly done: boolean;
  readonly waitSeconds: number;
  readonly balance?: Balance;
}

const ENDINGS: Readonly<Record<RunEnding, RunEvent>> = {
  completed: 'complete',
  stopped: 'settle-stopped',
  cancelled: 'settle-cancelled',
  failed: 'fail',
};

/**
 * Waits for the outcomes of what was sent, then closes the account. What nobody reported is looked for in the
 * dead-letter queue once the replay queue is empty: there it came back, elsewhere it was handled by a consumer
 * that does not report.
 */
export async function settleRun(
  runId: string,
  queue: ManagedQueue,
  { queues, ledger, store, clock, announce }: SettleDependencies,
): Promise<Settled> {
  const now = clock.now();
  const run = await loadRun(store, runId);
  if (isFinal(run.state)) return { done: true, waitSeconds: 0 };
  const collected = await collectOutcomes(runId, ledger, clock);
  await store.count(runId, { outcomes: collected.outcomes });
  await store.lock(queue.name, runId, now, now + LEASE_MS);
  if (collected.open.length > 0) {
    const derived = await derive(run, collected.open, queue, queues, clock);
    if (derived.length > 0) {
      await ledger.settle(derived);
      await store.count(runId, { outcomes: countsOf(derived) });
      return { done: false, waitSeconds: 0 };
    }
    const waited = now - Date.parse(run.lastSentAt ?? run.since);
    if (waited < run.plan.settleSeconds * 1000) return { done: false, waitSeconds: LOOK_SECONDS };
  }
  const { slicesBegun, slicesEnded } = run.counts;
  if (slicesBegun > slicesEnded && queue.replayUrl !== undefined) {
    const { visible, inFlight, delayed } = await queues.depth(queue.replayUrl);
    const patient = now - Date.parse(run.lastSentAt ?? run.since) < run.plan.settleSeconds * 1000;
    if (visible + inFlight + delayed > 0 && patient) return { done: false, waitSeconds: LOOK_SECONDS };
    await sweepOrphans(queue, queues, ledger);
  }
  const held = await ledger.held(runId);
  if (held.length > 0) await queues.release(queue.deadLetterUrl, held);
  const entries: LedgerEntry[] = [];
  for await (const entry of ledger.all(runId)) entries.push(entry);
  const balance = balanceOf(entries);
  // A mover that died had no time to count; the ledger knows.
  const sent = entries.filter(({ newMessageId }) => newMessageId !== undefined).length;
  await store.count(runId, { moved: { sent: sent - run.counts.sent } });
  const latest = await loadRun(store, runId);
  const state = nextRunState(latest.state, ENDINGS[latest.ending ?? 'completed']) ?? 'failed';
  const ended = { ...latest, state, endedAt: iso(now), report: JSON.stringify(balance) };
  await announce(ended, balance);
  await store.save(latest, { state, since: iso(now), endedAt: iso(now), report: ended.report });
  await store.audit(queue.name, auditOf(latest, iso(now), 'settle', `${state}; ${sentenceOf(balance)}`));
  await store.unlock(queue.name, runId);
  return { done: true, waitSeconds: 0, balance };
}

/** `5 selected = 4 succeeded + 1 returned` and so on, for people. */
export function sentenceOf(balance: Balance): string {
  const { selected, succeeded, returned, discarded, expired, held, unknown, holds } = balance;
  const parts = [
    `${succeeded} succeeded`,
    `${returned} returned`,
    `${discarded} discarded`,
    `${expired} expired`,
    `${held} still held`,
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ];
  return `${selected} selected = ${parts.join(' + ')}${holds ? '' : ' · the account does not balance'}`;
}

/** Ends of open entries, when the queue that they were sent to has nothing left; otherwise none. */
async function derive(
  run: RunRecord,
  open: readonly LedgerEntry[],
  queue: ManagedQueue,
  queues: RedriveQueues,
  clock: Clock,
): Promise<LedgerEntry[]> {
  if (run.plan.destination !== 'replay-queue' || queue.replayUrl === undefined) return [];
  const depth = await queues.depth(queue.replayUrl);
  if (depth.visible + depth.inFlight + depth.delayed > 0) return [];
  const before = await queues.depth(queue.deadLetterUrl);
  // What somebody else holds could be one of ours.
  if (before.inFlight > 0) return [];
  const back = await idsIn(queue.deadLetterUrl, queues);
  const at = iso(clock.now());
  return open.map((entry) => ({
    ...entry,
    outcome: back.has(entry.newMessageId ?? '') ? ('returned' as const) : ('succeeded' as const),
    outcomeAt: at,
  }));
}

/** After a mover died: copies that nobody wrote down come back to the dead-letter queue, and go. */
async function sweepOrphans(queue: ManagedQueue, queues: RedriveQueues, ledger: Ledger): Promise<void> {
  const others: string[] = [];
  for (let empty = 0, seen = 0; empty < 3 && seen < MOST_SCANNED; ) {
    const messages = await queues.receive(queue.deadLetterUrl, SCAN_BATCH, SCAN_HOLD_SECONDS);
    empty = messages.length === 0 ? empty + 1 : 0;
    seen += messages.length;
    const known = await ledger.know(
      queue.name,
      messages.map(({ messageId }) => messageId),
    );
    const orphans: string[] = [];
    messages.forEach((message, index) => {
      const knowledge = known[index] ?? { taken: false };
      const gone = knowledge.taken || isOrphan(message, knowledge, queue);
      (gone ? orphans : others).push(message.receiptHandle);
    });
    await queues.delete(queue.deadLetterUrl, orphans);
  }
  await queues.release(queue.deadLetterUrl, others);
}

async function idsIn(url: string, queues: RedriveQueues): Promise<Set<string>> {
  const ids = new Set<string>();
  const handles: string[] = [];
  for (let empty = 0; empty < 3 && ids.size < MOST_SCANNED; ) {
    const messages = await queues.receive(url, SCAN_BATCH, SCAN_HOLD_SECONDS);
    empty = messages.length === 0 ? empty + 1 : 0;
    for (const { messageId, receiptHandle } of messages) {
      ids.add(messageId);
      handles.push(receiptHandle);
    }
  }
  await queues.release(url, handles);
  return ids;
}

function countsOf(entries: readonly LedgerEntry[]) {
  const of = (kind: string): number => entries.filter(({ outcome }) => outcome === kind).length;
  return { succeeded: of('succeeded'), returned: of('returned') };
}
