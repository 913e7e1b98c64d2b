import { lanesFor } from '../core/redrive-rate';
import type { RunRecord } from '../core/run-record';
import { isFinal, nextRunState } from '../core/run-states';
import { loadRun } from './begin-run';
import { type Clock, iso, type ManagedQueue, type RunStore } from './redrive-ports';

/** How long a run keeps its queue without a sign of life. */
export const LEASE_MS = 20 * 60 * 1000;

/** One reason for or against a run; undefined when it holds. */
export interface PreflightCheck {
  readonly name: string;
  problem(run: RunRecord, queue: ManagedQueue): Promise<string | undefined>;
}

export interface PreflightDependencies {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly checks: readonly PreflightCheck[];
  readonly executionArn?: string;
}

export interface Preflight {
  readonly admitted: boolean;
  readonly why?: string;
  /** Movers side by side. */
  readonly lanes: number;
}

/** Takes the queue for the run and asks every check; a check that the plan overrides is passed over. */
export async function preflightRun(
  runId: string,
  queue: ManagedQueue,
  { store, clock, checks, executionArn }: PreflightDependencies,
): Promise<Preflight> {
  const now = clock.now();
  const run = await loadRun(store, runId);
  const lanes = lanesFor(run.rate);
  // A repeated step after a crash finds the run further on.
  if (run.state !== 'planned' && run.state !== 'preflight' && !isFinal(run.state))
    return { admitted: true, lanes };
  if (run.state !== 'planned' && run.state !== 'preflight')
    return { admitted: false, lanes, why: `the run is ${run.state}` };
  const begun =
    run.state === 'preflight'
      ? run
      : await store.save(run, {
          state: 'preflight',
          since: iso(now),
          startedAt: iso(now),
          ...(executionArn === undefined ? {} : { executionArn }),
        });
  if (begun === undefined) return { admitted: false, lanes, why: 'another step works on the run' };
  const refuse = async (why: string): Promise<Preflight> => {
    await store.save(begun, {
      state: nextRunState('preflight', 'refuse') ?? 'failed',
      why,
      since: iso(now),
      endedAt: iso(now),
    });
    await store.audit(queue.name, auditOf(begun, iso(now), 'preflight', `refused: ${why}`));
    return { admitted: false, lanes, why };
  };
  if (begun.plan.action === 'discard' && begun.approvedBy === undefined)
    return refuse('approval: a discard needs a second person');
  const owner = await store.lock(queue.name, runId, now, now + LEASE_MS);
  if (owner !== undefined) return refuse(`lease: run ${owner} works on the queue`);
  const problems: string[] = [];
  for (const check of checks) {
    if (begun.plan.overrides?.[check.name] !== undefined) continue;
    const problem = await check.problem(begun, queue);
    if (problem !== undefined) problems.push(`${check.name}: ${problem}`);
  }
  if (problems.length > 0) {
    await store.unlock(queue.name, runId);
    return refuse(problems.join('; '));
  }
  const event = begun.plan.canary === undefined || begun.plan.action === 'discard' ? 'admit' : 'admit-canary';
  await store.save(begun, { state: nextRunState('preflight', event) ?? 'failed', since: iso(now) });
  await store.audit(queue.name, auditOf(begun, iso(now), 'preflight', 'admitted'));
  return { admitted: true, lanes };
}

export function auditOf(run: RunRecord, at: string, what: string, result: string) {
  const { plan, runId } = run;
  return { at, who: plan.operator, what, target: plan.queue, why: plan.reason, result, runId };
}
