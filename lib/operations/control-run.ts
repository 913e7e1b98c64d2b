import { CodedError } from '../core/coded-error';
import type { RunRecord } from '../core/run-record';
import { nextRunState } from '../core/run-states';
import { loadRun } from './begin-run';
import { auditOf } from './preflight-run';
import { type Clock, type Executions, iso, type RunStore } from './redrive-ports';

export interface ControlDependencies {
  readonly store: RunStore;
  readonly executions: Pick<Executions, 'wake'>;
  readonly clock: Clock;
}

/** Asks the run to pause; it does so after the slice that is under way, within ten seconds. Throws RUN_NOT_MOVING. */
export async function pauseRun(
  runId: string,
  operator: string,
  dependencies: ControlDependencies,
): Promise<void> {
  const run = await loadRun(dependencies.store, runId);
  if (!(await dependencies.store.request(runId, 'pause', ['canary', 'running'])))
    throw notNow(run, 'pause', 'canary or running');
  await write(run, operator, 'pause', dependencies);
}

/** Ends the run after the slice that is under way; what is not sent stays in the dead-letter queue. Throws RUN_NOT_MOVING. */
export async function cancelRun(
  runId: string,
  operator: string,
  dependencies: ControlDependencies,
): Promise<void> {
  const { store, executions, clock } = dependencies;
  const run = await loadRun(store, runId);
  if (run.state === 'paused') {
    await store.save(run, {
      state: nextRunState('paused', 'cancel') ?? 'settling',
      ending: 'cancelled',
      why: 'cancelled by the operator',
      since: iso(clock.now()),
    });
    if (run.taskToken !== undefined) await executions.wake(run.taskToken);
  } else if (run.state === 'planned') {
    await store.save(run, { state: 'cancelled', since: iso(clock.now()), endedAt: iso(clock.now()) });
  } else if (!(await store.request(runId, 'cancel', ['canary', 'running', 'preflight'])))
    throw notNow(run, 'cancel', 'planned, preflight, canary, running or paused');
  await write(run, operator, 'cancel', dependencies);
}

/** Lets a paused run go on where it was. Throws RUN_NOT_MOVING. */
export async function resumeRun(
  runId: string,
  operator: string,
  dependencies: ControlDependencies,
): Promise<void> {
  const { store, executions, clock } = dependencies;
  const run = await loadRun(store, runId);
  if (run.state !== 'paused') throw notNow(run, 'resume', 'paused');
  const state = nextRunState('paused', run.pausedFrom === 'canary' ? 'resume-canary' : 'resume') ?? 'running';
  await store.save(run, { state, since: iso(clock.now()) });
  if (run.taskToken !== undefined) await executions.wake(run.taskToken);
  await write(run, operator, 'resume', dependencies);
}

/** A new rate from the next slice on, in messages per second. Throws RATE_OUT_OF_RANGE. */
export async function changeRate(
  runId: string,
  rate: number,
  operator: string,
  dependencies: ControlDependencies,
): Promise<void> {
  if (!(rate >= 0.1 && rate <= 10_000))
    throw new CodedError({
      code: 'RATE_OUT_OF_RANGE',
      problem: 'the rate is not possible',
      given: String(rate),
      allowed: '0.1 to 10,000 messages per second',
      nextStep: 'give another rate; the run goes on at its old one',
    });
  const run = await loadRun(dependencies.store, runId);
  await dependencies.store.setRate(runId, rate);
  await write(run, operator, `rate ${rate}/s`, dependencies);
}

async function write(
  run: RunRecord,
  operator: string,
  what: string,
  { store, clock }: ControlDependencies,
): Promise<void> {
  await store.audit(run.plan.queue, { ...auditOf(run, iso(clock.now()), what, 'asked'), who: operator });
}

function notNow(run: RunRecord, verb: string, allowed: string): CodedError {
  return new CodedError({
    code: 'RUN_NOT_MOVING',
    problem: `a run can't ${verb} in this state`,
    given: `${run.runId} is ${run.state}`,
    allowed,
    nextStep: 'look at it with `redrive report RUN`',
  });
}
