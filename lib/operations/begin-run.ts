import { CodedError } from '../core/coded-error';
import { type PlanRequest, planOf, planProblems, type RedrivePlan } from '../core/redrive-plan';
import { isSelected } from '../core/redrive-selection';
import { NOTHING_MOVED, type RunRecord } from '../core/run-record';
import type { FailureIndex } from './failure-ports';
import {
  type Clock,
  type Executions,
  iso,
  type ManagedQueue,
  type QueueDepth,
  type RedriveQueues,
  type RunStore,
} from './redrive-ports';

export interface BeginDependencies {
  /** Absent: a selection is not looked at before the run. */
  readonly failures?: FailureIndex;
  readonly queues: RedriveQueues;
  readonly store: RunStore;
  readonly executions: Executions;
  readonly clock: Clock;
  readonly newId: () => string;
}

export type Begun =
  | { readonly kind: 'started'; readonly run: RunRecord }
  /** A discard waits for a second person. */
  | { readonly kind: 'awaits-approval'; readonly run: RunRecord }
  | { readonly kind: 'nothing-to-redrive'; readonly depth: QueueDepth };

/**
 * Checks the plan, writes the run down and starts it. An empty dead-letter queue is an answer and not an error.
 * Throws PLAN_INVALID with every reason at once, or QUEUE_UNKNOWN; nothing has changed then.
 */
export async function beginRun(
  request: PlanRequest,
  queue: ManagedQueue,
  { queues, store, executions, clock, newId, failures }: BeginDependencies,
): Promise<Begun> {
  const plan = planOf(request);
  const problems = planProblems(plan);
  if (plan.destination === 'replay-queue' && queue.replayUrl === undefined)
    problems.push({
      field: 'destination',
      given: 'replay-queue',
      allowed: 'source-queue: the queue has no replay queue',
    });
  if (problems.length > 0)
    throw new CodedError({
      code: 'PLAN_INVALID',
      problem: `the plan can't be carried out: ${problems.map(({ field }) => field).join(', ')}`,
      given: problems.map(({ field, given }) => `${field} = ${given}`).join('; '),
      allowed: problems.map(({ field, allowed }) => `${field}: ${allowed}`).join('; '),
      nextStep: 'correct the plan; nothing has been touched',
    });
  const depth = await queues.depth(queue.deadLetterUrl);
  if (depth.visible + depth.inFlight + depth.delayed === 0) return { kind: 'nothing-to-redrive', depth };
  if (failures !== undefined && !(await anySelected(plan, failures)))
    return { kind: 'nothing-to-redrive', depth };
  const at = iso(clock.now());
  const run: RunRecord = {
    runId: newId(),
    plan,
    state: 'planned',
    version: 1,
    rate: plan.rate,
    rampStep: 0,
    owed: 0,
    counts: NOTHING_MOVED,
    outcomes: { succeeded: 0, returned: 0, expired: 0 },
    signatures: [],
    createdAt: at,
    since: at,
  };
  await store.create(run);
  await store.audit(plan.queue, {
    at,
    who: plan.operator,
    what: `plan ${plan.action}`,
    target: plan.queue,
    why: plan.reason,
    result: 'planned',
    runId: run.runId,
  });
  if (plan.action === 'discard') return { kind: 'awaits-approval', run };
  await executions.start(run.runId, run.runId);
  return { kind: 'started', run };
}

/** Whether the failure store knows of a message that is meant. A selection of other than failures is left to the run. */
async function anySelected({ queue, select }: RedrivePlan, failures: FailureIndex): Promise<boolean> {
  const { signatures, codes, classes, messageTypes, tenants } = select;
  if ([signatures, codes, classes, messageTypes, tenants].every((names) => names === undefined)) return true;
  for await (const failure of failures.deadLettered(queue)) {
    const { originalMessageId, redrives } = failure;
    const ids = { messageId: failure.messageIds.at(-1) ?? originalMessageId, originalMessageId };
    const {
      sourceQueueArns: _arns,
      minimumReceiveCount: _least,
      maximumReceiveCount: _most,
      ...known
    } = select;
    if (isSelected({ ...ids, receiveCount: 0, redrives, failure }, known)) return true;
  }
  return false;
}

/**
 * The second person's word for a discard; it starts the run.
 * Throws RUN_UNKNOWN, APPROVAL_NOT_WANTED, or APPROVAL_BY_SAME_PERSON.
 */
export async function approveRun(
  runId: string,
  approver: string,
  { store, executions, clock }: Pick<BeginDependencies, 'store' | 'executions' | 'clock'>,
): Promise<RunRecord> {
  const run = await loadRun(store, runId);
  if (run.state !== 'planned' || run.plan.action !== 'discard')
    throw new CodedError({
      code: 'APPROVAL_NOT_WANTED',
      problem: 'this run does not wait for approval',
      given: `${run.plan.action} in state ${run.state}`,
      allowed: 'a planned discard',
      nextStep: 'list the runs with `redrive runs`',
    });
  if (approver.trim().toLowerCase() === run.plan.operator.trim().toLowerCase())
    throw new CodedError({
      code: 'APPROVAL_BY_SAME_PERSON',
      problem: 'a discard needs a second person',
      given: approver,
      allowed: `anybody but ${run.plan.operator}`,
      nextStep: 'ask a colleague to approve it',
    });
  const saved = await store.save(run, { approvedBy: approver });
  await store.audit(run.plan.queue, {
    at: iso(clock.now()),
    who: approver,
    what: 'approve discard',
    target: run.plan.queue,
    why: run.plan.reason,
    result: 'approved',
    runId,
  });
  await executions.start(runId, runId);
  return saved ?? run;
}

export async function loadRun(store: Pick<RunStore, 'load'>, runId: string): Promise<RunRecord> {
  const run = await store.load(runId);
  if (run === undefined)
    throw new CodedError({
      code: 'RUN_UNKNOWN',
      problem: 'there is no such run',
      given: runId,
      nextStep: 'list the runs with `redrive runs`',
    });
  return run;
}
