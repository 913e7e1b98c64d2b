import { CodedError } from '../../lib/core/coded-error';
import { decideFailure } from '../../lib/core/failure-decision';
import {
  DEFAULT_RETRY_POLICY,
  delaySeconds,
  policyProblem,
  type RetryPolicy,
} from '../../lib/core/retry-policy';
import { type AttemptResult, attempt, type Known } from './attempt';
import { Batch } from './batch';
import { checkedRecords, type Incoming, incomingOf, withoutRepeats } from './incoming';
import { isolate } from './isolate';
import { announceLastAttempt, type ReportedFailure, reportOf } from './report';
import { RetryBudget } from './retry-budget';
import { type ConsumerServices, servicesFromEnvironment } from './services';
import type { BatchResponse, ConsumerOptions, InvocationContext } from './types';

const DEFAULT_CONCURRENCY = 10;
const DEFAULT_RESERVE_MS = 2_000;

export type ConsumerHandler = (event: unknown, context: InvocationContext) => Promise<BatchResponse>;

/**
 * A Lambda handler for an SQS queue: one message in, one call of `process`, and everything around it: partial batch
 * response, classification, backoff, isolation, idempotency, failure records, outcomes of redrives.
 * Throws RETRY_POLICY_IMPOSSIBLE on the first event when a policy does not fit the queue.
 */
export function consumer<T = unknown>(options: ConsumerOptions<T>): ConsumerHandler {
  let services: ConsumerServices | undefined;
  return (event, context) => {
    services ??= checked(options, servicesFromEnvironment(process.env));
    return handleBatch(options, services, event, context);
  };
}

/** The same with services of your own, for tests. */
export function consumerWith<T = unknown>(
  options: ConsumerOptions<T>,
  services: ConsumerServices,
): ConsumerHandler {
  const own = checked(options, services);
  return (event, context) => handleBatch(options, own, event, context);
}

const budgets = new WeakMap<ConsumerServices, RetryBudget>();

async function handleBatch<T>(
  options: ConsumerOptions<T>,
  services: ConsumerServices,
  event: unknown,
  context: InvocationContext,
): Promise<BatchResponse> {
  const records = withoutRepeats(checkedRecords(event));
  const nowMs = services.now();
  const remaining = context.getRemainingTimeInMillis();
  const reserve = Math.min(options.reserveMs ?? DEFAULT_RESERVE_MS, remaining / 5);
  const stop = new AbortController();
  const processUntilMs = nowMs + remaining - reserve;
  const deadline = setTimeout(() => stop.abort(), Math.max(0, remaining - reserve));
  try {
    const redriven = records.filter(({ eventSourceARN }) =>
      services.queues.some(({ replayArn }) => replayArn === eventSourceARN),
    );
    const lineage =
      redriven.length === 0 || services.failures === undefined
        ? new Map()
        : await services.failures.lineage(redriven.map(({ messageId }) => messageId));
    const batch = new Batch(
      services,
      records.map((record) => incomingOf(record, services.queues, lineage, nowMs)),
    );
    const handle = (incoming: Incoming): Promise<boolean> =>
      handleOne(incoming, batch, options, services, {
        stop: stop.signal,
        processUntilMs,
        invocationEndMs: nowMs + remaining,
      });
    await (batch.fifo
      ? inOrder(batch, handle, options.fifo ?? 'strict')
      : sideBySide(batch, handle, options.concurrency));
    return await batch.conclude();
  } finally {
    clearTimeout(deadline);
  }
}

interface Limits {
  readonly stop: AbortSignal;
  readonly processUntilMs: number;
  readonly invocationEndMs: number;
}

/** Answers whether the message is done with: acknowledged, or safe in the dead-letter queue. */
async function handleOne<T>(
  incoming: Incoming,
  batch: Batch,
  options: ConsumerOptions<T>,
  services: ConsumerServices,
  { stop, processUntilMs, invocationEndMs }: Limits,
): Promise<boolean> {
  if (stop.aborted) return batch.later(incoming, 'DEADLINE');
  const budget = budgetOf(services);
  budget.seen(incoming.attempt);
  const nativeFailure = options.isolation === 'native' ? batch.permanentBefore(incoming) : undefined;
  if (nativeFailure === true) return batch.later(incoming, 'ISOLATION_PENDING', 0);
  const work = attempt(incoming, {
    options,
    services,
    signal: stop,
    processUntilMs,
    invocationEndMs,
    beforeProcess: async (one, known) => {
      if (isLastAttempt(one, policyFor(options, one, known))) await announceLastAttempt(one, known, services);
    },
  });
  const result = await Promise.race([work, aborted(stop)]);
  if (result.kind === 'done') return batch.done(incoming, result.duplicate);
  if (result.kind === 'later') return batch.later(incoming, result.code, result.seconds);
  return conclude(incoming, result, batch, options, services, budget);
}

async function conclude<T>(
  incoming: Incoming,
  result: Extract<AttemptResult, { kind: 'failed' }>,
  batch: Batch,
  options: ConsumerOptions<T>,
  services: ConsumerServices,
  budget: RetryBudget,
): Promise<boolean> {
  const policy = policyFor(options, incoming, result.known);
  const report = reportOf(incoming, result, options.redact);
  const decision = decideFailure({
    classification: result.classification,
    policy,
    attempt: incoming.attempt,
    ageSeconds: Math.max(0, (services.now() - incoming.sentAtMs) / 1000),
  });
  const retryAfterSeconds = result.classification.retryAfterSeconds;
  const delay = delaySeconds({
    policy,
    attempt: incoming.attempt,
    heldSeconds: (services.now() - incoming.receivedAtMs) / 1000,
    random: services.random(),
    stretch: budget.stretch(),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  if (decision.kind === 'retry') return batch.retry(report, delay);
  if (options.isolation === 'native') return batch.retry({ ...report, isolation: decision.reason }, 0);
  const copyId = await isolate(incoming, services);
  if (copyId === undefined) return batch.retry(report, delay);
  return batch.isolated({ ...report, isolation: decision.reason, copyId } satisfies ReportedFailure);
}

/** Standard queues: side by side, each for itself. */
async function sideBySide(
  batch: Batch,
  handle: (incoming: Incoming) => Promise<boolean>,
  concurrency = DEFAULT_CONCURRENCY,
): Promise<void> {
  let index = 0;
  const worker = async (): Promise<void> => {
    for (let mine = index++; mine < batch.all.length; mine = index++)
      await handle(batch.all[mine] as Incoming);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(concurrency, batch.all.length)) }, worker));
}

/** FIFO queues: what follows a message that is not done with is left, and reported as left (field rule F24). */
async function inOrder(
  batch: Batch,
  handle: (incoming: Incoming) => Promise<boolean>,
  mode: 'strict' | 'message-group',
): Promise<void> {
  const blocked = new Set<string>();
  for (const incoming of batch.all) {
    const group = mode === 'strict' ? '' : (incoming.record.attributes?.['MessageGroupId'] ?? '');
    if (blocked.has(group)) batch.later(incoming, 'ORDER_KEPT');
    else if (!(await handle(incoming))) blocked.add(group);
  }
}

function policyFor<T>(
  { retry, retryByType }: ConsumerOptions<T>,
  { queue }: Incoming,
  { messageType }: Known,
): RetryPolicy {
  const allowed = queue?.maxReceiveCount ?? DEFAULT_RETRY_POLICY.attempts;
  return {
    ...DEFAULT_RETRY_POLICY,
    attempts: Math.min(DEFAULT_RETRY_POLICY.attempts, allowed),
    ...retry,
    ...(messageType === undefined ? {} : retryByType?.[messageType]),
  };
}

function isLastAttempt({ attempt: number, queue }: Incoming, { attempts }: RetryPolicy): boolean {
  return number > 1 && (number >= attempts || number >= (queue?.maxReceiveCount ?? Number.POSITIVE_INFINITY));
}

function checked<T>(options: ConsumerOptions<T>, services: ConsumerServices): ConsumerServices {
  if (typeof options.process !== 'function')
    throw new CodedError({
      code: 'PROCESS_MISSING',
      problem: 'a consumer needs a process function',
      nextStep: 'give `process`',
    });
  const named = [options.retry, ...Object.values(options.retryByType ?? {})].filter(
    (policy) => policy !== undefined,
  );
  for (const { maxReceiveCount, sourceArn } of services.queues)
    for (const policy of named) {
      const full = {
        ...DEFAULT_RETRY_POLICY,
        attempts: Math.min(DEFAULT_RETRY_POLICY.attempts, maxReceiveCount),
        ...policy,
      };
      const problem = policyProblem(full, maxReceiveCount);
      if (problem !== undefined)
        throw new CodedError({
          code: 'RETRY_POLICY_IMPOSSIBLE',
          problem,
          given: sourceArn,
          nextStep: 'lower attempts, or raise maxReceiveCount of the RecoverableQueue',
        });
    }
  return services;
}

function budgetOf(services: ConsumerServices): RetryBudget {
  const known = budgets.get(services) ?? new RetryBudget();
  budgets.set(services, known);
  return known;
}

function aborted(signal: AbortSignal): Promise<AttemptResult> {
  const result: AttemptResult = { kind: 'later', code: 'DEADLINE' };
  if (signal.aborted) return Promise.resolve(result);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(result), { once: true }));
}
