import { Annotations, Lazy, Stack, Token } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { CONSUMER_ENVIRONMENT } from '../core/consumer-environment';
import type { IRecoverableQueue } from './recoverable-queue-interface';
import type { ConsumerMappingOptions } from './recoverable-queue-props';

/** A consumer as far as the rules look at it. */
export interface WiredConsumer {
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

/** Maximum concurrency of all mappings of a function, against its reserve. */
const concurrencyOf = new WeakMap<lambda.IFunction, number[]>();
const queuesOf = new WeakMap<lambda.IFunction, IRecoverableQueue[]>();

export function wireConsumer(
  queue: IRecoverableQueue,
  consumer: lambda.IFunction,
  options: ConsumerMappingOptions,
): WiredConsumer {
  const fifo = queue.sourceQueue.fifo;
  const visible =
    consumer instanceof lambda.Function
      ? (consumer.timeout?.toSeconds() ?? DEFAULT_TIMEOUT_SECONDS)
      : undefined;
  const timeoutSeconds = options.functionTimeout?.toSeconds() ?? visible ?? DEFAULT_TIMEOUT_SECONDS;
  if (visible === undefined && options.functionTimeout === undefined)
    Annotations.of(queue).addWarningV2(
      'cdk-redrive:function-timeout',
      `the timeout of ${consumer.node.path} can't be seen here: give functionTimeout, so that the visibility timeout fits`,
    );
  const windowSeconds = options.maxBatchingWindow?.toSeconds() ?? 0;
  const batchSize = options.batchSize ?? (fifo ? 1 : 10);
  const maxConcurrency = options.maxConcurrency ?? DEFAULT_CONCURRENCY;
  const replayMaxConcurrency = options.replayMaxConcurrency ?? DEFAULT_REPLAY_CONCURRENCY;
  const mapping = (id: string, from: IQueue, concurrency: number): lambda.EventSourceMapping => {
    concurrencyOf.set(consumer, [...(concurrencyOf.get(consumer) ?? []), concurrency]);
    return new lambda.EventSourceMapping(queue, `${id}-${consumer.node.addr.slice(-8)}`, {
      target: consumer,
      eventSourceArn: from.queueArn,
      batchSize,
      reportBatchItemFailures: true,
      maxConcurrency: concurrency,
      ...(windowSeconds > 0 && options.maxBatchingWindow !== undefined
        ? { maxBatchingWindow: options.maxBatchingWindow }
        : {}),
      ...(options.filters === undefined ? {} : { filters: options.filters.map((pattern) => ({ pattern })) }),
    });
  };
  grantConsume(queue, consumer);
  const mappings = [mapping('Consume', queue.sourceQueue, maxConcurrency)];
  if (queue.replayQueue !== undefined)
    mappings.push(mapping('Replay', queue.replayQueue, replayMaxConcurrency));
  describe(queue, consumer, options);
  const path = consumer.node.path;
  return {
    path,
    mappings,
    timeoutSeconds,
    windowSeconds,
    leastVisibilitySeconds: 6 * timeoutSeconds + windowSeconds,
    filtered: options.filters !== undefined,
    problems: () =>
      consumerProblems(
        path,
        consumer,
        { ...options, batchSize, maxConcurrency, replayMaxConcurrency },
        fifo,
        windowSeconds,
      ),
  };
}

function consumerProblems(
  path: string,
  consumer: lambda.IFunction,
  {
    batchSize = 10,
    maxConcurrency = 0,
    replayMaxConcurrency = 0,
    filters,
    dropsNonMatching,
  }: ConsumerMappingOptions,
  fifo: boolean,
  windowSeconds: number,
): string[] {
  const problems: string[] = [];
  const say = (code: string, text: string): void => {
    problems.push(`${code}: ${path}: ${text}`);
  };
  const most = fifo ? 10 : 10_000;
  if (!Token.isUnresolved(batchSize) && (batchSize < 1 || batchSize > most))
    say('BATCH_SIZE_RANGE', `batchSize is ${batchSize}; 1 to ${most} are allowed`);
  if (batchSize > 10 && windowSeconds < 1)
    say('BATCH_NEEDS_WINDOW', `batchSize ${batchSize} needs a maxBatchingWindow of at least 1 s`);
  if (fifo && windowSeconds > 0) say('FIFO_WINDOW', 'a FIFO queue knows no batching window');
  if (windowSeconds > 300)
    say('WINDOW_RANGE', `maxBatchingWindow is ${windowSeconds} s; up to 300 s are allowed`);
  for (const [name, value] of Object.entries({ maxConcurrency, replayMaxConcurrency }))
    if (!Token.isUnresolved(value) && value < 2)
      say('CONCURRENCY_RANGE', `${name} is ${value}; at least 2 are needed`);
  for (const filter of filters ?? []) {
    const wrong = wrongFilterKey(filter);
    if (wrong !== undefined)
      say('FILTER_KEY', `a filter on a queue looks at body only, and this one at '${wrong}'`);
  }
  if (filters !== undefined && dropsNonMatching !== true)
    say('FILTER_DROPS', 'a filter deletes what it does not match; set dropsNonMatching if that is meant');
  const reserved =
    consumer instanceof lambda.Function
      ? (consumer.node.defaultChild as lambda.CfnFunction).reservedConcurrentExecutions
      : undefined;
  const sum = (concurrencyOf.get(consumer) ?? []).reduce((total, value) => total + value, 0);
  if (typeof reserved === 'number' && !Token.isUnresolved(reserved) && sum > reserved)
    say(
      'CONCURRENCY_ABOVE_RESERVE',
      `the mappings may call it ${sum} times at once, but ${reserved} are reserved`,
    );
  return problems;
}

function wrongFilterKey(filter: string): string | undefined {
  if (Token.isUnresolved(filter)) return undefined;
  try {
    return Object.keys(JSON.parse(filter)).find((key) => key !== 'body');
  } catch {
    return filter.slice(0, 40);
  }
}

/** Exactly what mapping and library do. The library's half does no harm to a consumer in another language. */
function grantConsume(queue: IRecoverableQueue, consumer: lambda.IFunction): void {
  const { sourceQueue, replayQueue, deadLetterQueue, idempotencyTable, failureStore } = queue;
  const allow = (prefix: string, actions: readonly string[], ...resources: string[]): void => {
    consumer.addToRolePolicy(
      new iam.PolicyStatement({ actions: actions.map((action) => `${prefix}:${action}`), resources }),
    );
  };
  const sources = [sourceQueue, ...(replayQueue === undefined ? [] : [replayQueue])].map(
    ({ queueArn }) => queueArn,
  );
  allow(
    'sqs',
    ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'],
    ...sources,
  );
  allow('sqs', ['SendMessage'], deadLetterQueue.queueArn);
  allow('dynamodb', ['PutItem', 'UpdateItem', 'DeleteItem'], idempotencyTable.table.tableArn);
  allow('dynamodb', ['UpdateItem', 'BatchGetItem', 'BatchWriteItem'], failureStore.table.tableArn);
  const key = sourceQueue.encryptionMasterKey;
  if (key !== undefined) allow('kms', ['Decrypt', 'GenerateDataKey'], key.keyArn);
}

/** Tells the library what it works with. */
function describe(
  queue: IRecoverableQueue,
  consumer: lambda.IFunction,
  options: ConsumerMappingOptions,
): void {
  const known = queuesOf.get(consumer) ?? [];
  queuesOf.set(consumer, [...known, queue]);
  if (!(consumer instanceof lambda.Function)) {
    Annotations.of(queue).addInfo(
      `set ${Object.values(CONSUMER_ENVIRONMENT).join(', ')} on ${consumer.node.path} where its own stack is made, if it uses cdk-redrive/handler`,
    );
    return;
  }
  if (known.length > 0) return;
  consumer.addEnvironment(
    CONSUMER_ENVIRONMENT.queues,
    Lazy.string({ produce: () => queuesAsJson(consumer) }),
  );
  consumer.addEnvironment(CONSUMER_ENVIRONMENT.idempotencyTable, queue.idempotencyTable.table.tableName);
  consumer.addEnvironment(CONSUMER_ENVIRONMENT.failureTable, queue.failureStore.table.tableName);
  if (options.consumerName !== undefined)
    consumer.addEnvironment(CONSUMER_ENVIRONMENT.consumerName, options.consumerName);
  if (options.consumerVersion !== undefined)
    consumer.addEnvironment(CONSUMER_ENVIRONMENT.consumerVersion, options.consumerVersion);
}

function queuesAsJson(consumer: lambda.Function): string {
  const queues = queuesOf.get(consumer) ?? [];
  return Stack.of(consumer).toJsonString(
    queues.map((queue) => ({
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
    })),
  );
}
