import { randomUUID } from 'node:crypto';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { REDRIVE_ENVIRONMENT } from '../core/redrive-environment';
import { loadRun } from '../operations/begin-run';
import { RunAnnouncer } from './redrive-announcer';
import { DynamoDbLedger } from './redrive-ledger';
import { preflightChecks } from './redrive-preflight-checks';
import { SqsRedriveQueues } from './redrive-queues';
import { ParameterRegistry } from './redrive-registry';
import { DynamoDbRunStore } from './redrive-run-store';

/** What the steps use of the Lambda context. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

let adapters: ReturnType<typeof build> | undefined;

/** Made once per environment, from the variables that the construct sets. */
export function redriveAdapters(): ReturnType<typeof build> {
  adapters ??= build(process.env);
  return adapters;
}

function build(env: NodeJS.ProcessEnv) {
  const table = env[REDRIVE_ENVIRONMENT.failureTable] ?? '';
  const dynamoDb = new DynamoDBClient({});
  const sqs = new SQSClient({});
  const clock = { now: () => Date.now() };
  const store = new DynamoDbRunStore(dynamoDb, table, randomUUID);
  const announcer = new RunAnnouncer(new EventBridgeClient({}), (line) => console.log(line), clock);
  const registry = new ParameterRegistry(new SSMClient({}), env[REDRIVE_ENVIRONMENT.registry] ?? '');
  return {
    clock,
    store,
    queues: new SqsRedriveQueues(sqs),
    ledger: new DynamoDbLedger(dynamoDb, table, clock.now),
    checks: preflightChecks(new LambdaClient({}), new CloudWatchClient({})),
    announce: announcer.announce.bind(announcer),
    queueOf: async (runId: string) => registry.named((await loadRun(store, runId)).plan.queue),
  };
}
