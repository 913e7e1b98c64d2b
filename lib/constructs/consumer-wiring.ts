import { Annotations, Lazy, Stack } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { CONSUMER_ENVIRONMENT, type ConsumerQueue } from '../core/consumer-environment';
import { grantConsume } from './consumer-grants';
import { consumerProblems } from './consumer-problems';
import { functionBehind } from './function-behind';
import type { IRecoverableQueue } from './recoverable-queue-interface';
import type { ConsumerMappingOptions } from './recoverable-queue-props';

/** A consumer as far as the rules look at it. */
export interface WiredConsumer {
  readonly consumer: lambda.IFunction;
  readonly path: string;
  readonly mappings: lambda.EventSourceMapping[];
  readonly timeoutSeconds: number;
  readonly windowSeconds: number;
  /** Six times the timeout plus the window. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
  readonly leastVisibilitySeconds: number;
  readonly filtered: boolean;
  problems(): string[];
}

const DEFAULT_CONCURRENCY = 50;
const DEFAULT_REPLAY_CONCURRENCY = 5;
/** Lambda's own default. */
const DEFAULT_TIMEOUT_SECONDS = 3;
/** Of one provisioned poller. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
const INVOCATIONS_OF_A_POLLER = 10;
const DEFAULT_POLLERS = { minimum: 2, maximum: 200 };

/** Invocations at once by all mappings of a function, against its reserve. */
const concurrencyOf = new WeakMap<lambda.IFunction, number[]>();
const queuesOf = new WeakMap<lambda.IFunction, IRecoverableQueue[]>();

export function wireConsumer(
  queue: IRecoverableQueue,
  consumer: lambda.IFunction,
  options: ConsumerMappingOptions,
): WiredConsumer {
  const fifo = queue.sourceQueue.fifo;
  const timeoutSeconds = timeoutOf(queue, consumer, options);
  const target = functionBehind(consumer) ?? consumer;
  const [scope, { addr }] = isNear(queue, consumer) ? [queue, consumer.node] : [consumer, queue.node];
  const windowSeconds = options.maxBatchingWindow?.toSeconds() ?? 0;
  const batchSize = options.batchSize ?? (fifo ? 1 : 10);
  const replayMaxConcurrency = options.replayMaxConcurrency ?? DEFAULT_REPLAY_CONCURRENCY;
  const pollers = options.provisionedPollers && { ...DEFAULT_POLLERS, ...options.provisionedPollers };
  const maxConcurrency = options.maxConcurrency ?? DEFAULT_CONCURRENCY;

  const mapping = (
    id: string,
    from: IQueue,
    most: number,
    set: (mapping: lambda.CfnEventSourceMapping) => void,
  ) => {
    concurrencyOf.set(target, [...(concurrencyOf.get(target) ?? []), most]);
    const made = new lambda.EventSourceMapping(scope, `${id}-${addr.slice(-8)}`, {
      target: consumer,
      eventSourceArn: from.queueArn,
      reportBatchItemFailures: true,
      ...(options.filters === undefined ? {} : { filters: options.filters.map((pattern) => ({ pattern })) }),
    });
    // Numbers are set below the construct of aws-cdk, which would throw on the first that is wrong: all are told at once.
    const resource = made.node.defaultChild as lambda.CfnEventSourceMapping;
    resource.batchSize = batchSize;
    if (windowSeconds > 0) resource.maximumBatchingWindowInSeconds = windowSeconds;
    set(resource);
    return made;
  };
  const bounded = (id: string, from: IQueue, maximumConcurrency: number): lambda.EventSourceMapping =>
    mapping(id, from, maximumConcurrency, (resource) => {
      resource.scalingConfig = { maximumConcurrency };
    });
  grantConsume(queue, consumer);
  const mappings = [
    pollers === undefined
      ? bounded('Consume', queue.sourceQueue, maxConcurrency)
      : mapping('Consume', queue.sourceQueue, pollers.maximum * INVOCATIONS_OF_A_POLLER, (resource) => {
          resource.provisionedPollerConfig = {
            minimumPollers: pollers.minimum,
            maximumPollers: pollers.maximum,
          };
        }),
  ];
  if (queue.replayQueue !== undefined)
    mappings.push(bounded('Replay', queue.replayQueue, replayMaxConcurrency));
  describe(queue, consumer, options);
  const { path } = consumer.node;
  return {
    consumer,
    path,
    mappings,
    timeoutSeconds,
    windowSeconds,
    leastVisibilitySeconds: 6 * timeoutSeconds + windowSeconds,
    filtered: options.filters !== undefined,
    problems: () =>
      consumerProblems(path, consumer, {
        options,
        fifo,
        batchSize,
        windowSeconds,
        maxConcurrency,
        replayMaxConcurrency,
        pollers,
        invocationsAtOnce: (concurrencyOf.get(target) ?? []).reduce((sum, value) => sum + value, 0),
      }),
  };
}

/**
 * True when queue and function are of one stack. Otherwise everything that refers to both belongs to the function's stack:
 * its role refers to the queue anyway, and a reference back would close a circle of stacks (field rule F45).
 */
export function isNear(queue: IRecoverableQueue, consumer: lambda.IFunction): boolean {
  return Stack.of(queue) === Stack.of(consumer);
}

function timeoutOf(
  queue: IRecoverableQueue,
  consumer: lambda.IFunction,
  { functionTimeout }: ConsumerMappingOptions,
): number {
  if (functionTimeout !== undefined) return functionTimeout.toSeconds();
  const seen = functionBehind(consumer);
  if (seen !== undefined) return seen.timeout?.toSeconds() ?? DEFAULT_TIMEOUT_SECONDS;
  Annotations.of(queue).addWarningV2(
    'cdk-redrive:function-timeout',
    `the timeout of ${consumer.node.path} can't be seen here: give functionTimeout, so that the visibility timeout fits`,
  );
  return DEFAULT_TIMEOUT_SECONDS;
}

/** Tells the library what it works with. */
function describe(
  queue: IRecoverableQueue,
  consumer: lambda.IFunction,
  { consumerName, consumerVersion }: ConsumerMappingOptions,
): void {
  const target = functionBehind(consumer);
  if (target === undefined) {
    Annotations.of(queue).addInfo(
      `set ${CONSUMER_ENVIRONMENT.queues}, ${CONSUMER_ENVIRONMENT.idempotencyTable} and ${CONSUMER_ENVIRONMENT.failureTable} on ${consumer.node.path} where its own stack is made, if it uses cdk-redrive/handler`,
    );
    return;
  }
  const known = queuesOf.get(target) ?? [];
  const [first] = known;
  queuesOf.set(target, [...known, queue]);
  if (first === undefined) {
    const set = (name: string, value: string): void => void target.addEnvironment(name, value);
    set(CONSUMER_ENVIRONMENT.queues, Lazy.string({ produce: () => queuesAsJson(target) }));
    set(CONSUMER_ENVIRONMENT.idempotencyTable, queue.idempotencyTable.table.tableName);
    set(CONSUMER_ENVIRONMENT.failureTable, queue.failureStore.table.tableName);
    if (consumerName !== undefined) set(CONSUMER_ENVIRONMENT.consumerName, consumerName);
    if (consumerVersion !== undefined) set(CONSUMER_ENVIRONMENT.consumerVersion, consumerVersion);
  } else if (first.failureStore !== queue.failureStore || first.idempotencyTable !== queue.idempotencyTable)
    Annotations.of(queue).addError(
      `STORES_DIFFER: ${queue.node.path}: ${target.node.path} is fed from ${first.node.path} as well, which has other tables: a function works with one failure store and one idempotency table; give both queues the same`,
    );
}

function queuesAsJson(consumer: lambda.Function): string {
  const queues = (queuesOf.get(consumer) ?? []).map(
    (queue): ConsumerQueue => ({
      sourceArn: queue.sourceQueue.queueArn,
      sourceUrl: queue.sourceQueue.queueUrl,
      deadLetterArn: queue.deadLetterQueue.queueArn,
      deadLetterUrl: queue.deadLetterQueue.queueUrl,
      ...(queue.replayQueue === undefined
        ? {}
        : { replayArn: queue.replayQueue.queueArn, replayUrl: queue.replayQueue.queueUrl }),
      maxReceiveCount: queue.maxReceiveCount,
      visibilitySeconds: queue.visibilitySeconds(),
      retentionSeconds: queue.retentionPeriod.toSeconds() + queue.deadLetterRetentionPeriod.toSeconds(),
    }),
  );
  return Stack.of(consumer).toJsonString(queues);
}
