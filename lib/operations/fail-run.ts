import { balanceOf } from '../core/balance';
import { isFinal, nextRunState } from '../core/run-states';
import { loadRun } from './begin-run';
import { auditOf } from './preflight-run';
import { iso, type ManagedQueue } from './redrive-ports';
import type { SettleDependencies } from './settle-run';

/** Ends a run whose step broke for good: releases what it held and the queue, keeps the account as far as it goes. */
export async function failRun(
  runId: string,
  why: string,
  queue: ManagedQueue,
  { queues, ledger, store, clock, announce }: SettleDependencies,
): Promise<void> {
  const run = await loadRun(store, runId);
  if (isFinal(run.state)) return;
  const held = await ledger.held(runId);
  if (held.length > 0) await queues.release(queue.deadLetterUrl, held);
  const entries = [];
  for await (const entry of ledger.all(runId)) entries.push(entry);
  const balance = balanceOf(entries);
  const at = iso(clock.now());
  const end = {
    state: nextRunState(run.state, 'fail') ?? 'failed',
    why,
    since: at,
    endedAt: at,
    report: JSON.stringify(balance),
  } as const;
  await store.save(run, end);
  await announce({ ...run, ...end }, balance);
  await store.audit(queue.name, auditOf(run, at, 'fail', why));
  await store.unlock(queue.name, runId);
}
