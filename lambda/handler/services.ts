import { createHash } from 'node:crypto';
import { CONSUMER_ENVIRONMENT, type ConsumerQueue } from '../../lib/core/consumer-environment';
import type { ConsumerQueues } from '../../lib/core/consumer-queues';
import type { FailureRecorder } from '../../lib/core/failure-recorder';
import type { IdempotencyStore } from '../../lib/core/idempotency';
import { STORE_SHARDS } from '../../lib/core/store-keys';

/** What a consumer works with; tests give their own. */
export interface ConsumerServices {
  readonly queues: readonly ConsumerQueue[];
  readonly consumerName: string;
  readonly consumerVersion: string;
  readonly sqs: ConsumerQueues;
  /** Absent: no table is named. */
  readonly idempotency?: IdempotencyStore;
  readonly failures?: FailureRecorder;
  now(): number;
  random(): number;
  digest(text: string): string;
  log(line: string): void;
}

/** From the environment variables that the construct sets. The SDK is loaded now and not before. */
export function servicesFromEnvironment(env: NodeJS.ProcessEnv): ConsumerServices {
  // Required lazily, so that importing the library costs next to nothing.
  const { SQSClient } = require('@aws-sdk/client-sqs') as typeof import('@aws-sdk/client-sqs');
  const { SqsConsumerQueues } =
    require('../../lib/aws/consumer-queues') as typeof import('../../lib/aws/consumer-queues');
  const idempotencyTable = env[CONSUMER_ENVIRONMENT.idempotencyTable];
  const failureTable = env[CONSUMER_ENVIRONMENT.failureTable];
  const functionName = env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'consumer';
  return {
    queues: JSON.parse(env[CONSUMER_ENVIRONMENT.queues] ?? '[]') as ConsumerQueue[],
    consumerName: env[CONSUMER_ENVIRONMENT.consumerName] ?? functionName,
    consumerVersion:
      env[CONSUMER_ENVIRONMENT.consumerVersion] ?? env['AWS_LAMBDA_FUNCTION_VERSION'] ?? '$LATEST',
    sqs: new SqsConsumerQueues(new SQSClient({ maxAttempts: 2 })),
    ...tables(idempotencyTable, failureTable),
    now: () => Date.now(),
    random: () => Math.random(),
    digest: (text) => createHash('sha256').update(text).digest('hex').slice(0, 32),
    log: (line) => process.stdout.write(`${line}\n`),
  };
}

function tables(idempotencyTable: string | undefined, failureTable: string | undefined) {
  if (idempotencyTable === undefined && failureTable === undefined) return {};
  const { DynamoDBClient } = require('@aws-sdk/client-dynamodb') as typeof import('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient({ maxAttempts: 2 });
  const shard = Math.floor(Math.random() * STORE_SHARDS);
  return {
    ...(idempotencyTable === undefined ? {} : { idempotency: idempotencyStore(client, idempotencyTable) }),
    ...(failureTable === undefined ? {} : { failures: failureStore(client, failureTable, shard) }),
  };
}

type Client = import('@aws-sdk/client-dynamodb').DynamoDBClient;

function idempotencyStore(client: Client, table: string): IdempotencyStore {
  const { DynamoDbIdempotencyStore } =
    require('../../lib/aws/idempotency-store') as typeof import('../../lib/aws/idempotency-store');
  return new DynamoDbIdempotencyStore(client, table);
}

function failureStore(client: Client, table: string, shard: number): FailureRecorder {
  const { DynamoDbFailureStore } =
    require('../../lib/aws/failure-store') as typeof import('../../lib/aws/failure-store');
  return new DynamoDbFailureStore(client, table, shard);
}
