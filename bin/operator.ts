import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDbFailureIndex } from '../lib/aws/failure-index';
import { StepFunctionsExecutions } from '../lib/aws/redrive-executions';
import { DynamoDbLedger } from '../lib/aws/redrive-ledger';
import { SqsRedriveQueues } from '../lib/aws/redrive-queues';
import { ParameterRegistry } from '../lib/aws/redrive-registry';
import { DynamoDbRunStore } from '../lib/aws/redrive-run-store';
import { REGISTRY_ROOT } from '../lib/core/redrive-environment';
import type { BeginDependencies } from '../lib/operations/begin-run';
import type { ManagedQueue } from '../lib/operations/redrive-ports';

/** What SDK clients are made with; empty for an account of the environment's credentials. */
export interface ClientSettings {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** What an operator works with on one queue. */
export interface Operator extends BeginDependencies {
  readonly queue: ManagedQueue;
  readonly failures: DynamoDbFailureIndex;
  readonly ledger: DynamoDbLedger;
  readonly store: DynamoDbRunStore;
}

/** The queues of an account and region, or of the embedded engine. */
export function registryOf(settings: ClientSettings): ParameterRegistry {
  return new ParameterRegistry(new SSMClient(settings), `${REGISTRY_ROOT}/`);
}

/** Finds the queue by name and connects to what belongs to it. Throws QUEUE_UNKNOWN. */
export async function operatorOf(
  queueName: string,
  settings: ClientSettings,
  now: () => number = Date.now,
): Promise<Operator> {
  const queue = await registryOf(settings).find(queueName);
  const table = queue.failureTable ?? '';
  const dynamoDb = new DynamoDBClient(settings);
  return {
    queue,
    clock: { now },
    newId: randomUUID,
    failures: new DynamoDbFailureIndex(dynamoDb, table),
    ledger: new DynamoDbLedger(dynamoDb, table, now),
    store: new DynamoDbRunStore(dynamoDb, table, randomUUID),
    queues: new SqsRedriveQueues(new SQSClient(settings)),
    executions: new StepFunctionsExecutions(new SFNClient(settings), queue.stateMachineArn ?? ''),
  };
}
