import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { STORE_ATTRIBUTES } from '../core/store-keys';

export const REDRIVE_STEPS = ['preflight', 'move', 'judge', 'pause', 'settle', 'fail'] as const;

export type RedriveStep = (typeof REDRIVE_STEPS)[number];

export type RedriveSteps = Readonly<Record<RedriveStep, IFunction>>;

/** What each step does to the failure store; `Query:listing` is a query of the index. */
const TABLE_RIGHTS: Readonly<Record<RedriveStep, readonly string[]>> = {
  preflight: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
  move: ['GetItem', 'PutItem', 'UpdateItem', 'BatchGetItem', 'BatchWriteItem'],
  judge: ['GetItem', 'PutItem', 'UpdateItem', 'BatchGetItem', 'BatchWriteItem', 'Query', 'Query:listing'],
  pause: ['GetItem', 'UpdateItem'],
  settle: [
    'GetItem',
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'BatchGetItem',
    'BatchWriteItem',
    'Query',
    'Query:listing',
  ],
  fail: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
};

const DEAD_LETTER_RIGHTS: Readonly<Partial<Record<RedriveStep, readonly string[]>>> = {
  move: ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'],
  judge: ['GetQueueAttributes'],
  settle: ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'],
  fail: ['ChangeMessageVisibility'],
};

function allow(step: IFunction, prefix: string, actions: readonly string[], resource: string): void {
  if (actions.length > 0)
    step.addToRolePolicy(
      new iam.PolicyStatement({
        actions: actions.map((action) => `${prefix}:${action}`),
        resources: [resource],
      }),
    );
}

export function grantTable(steps: RedriveSteps, table: Table): void {
  for (const name of REDRIVE_STEPS) {
    const rights = TABLE_RIGHTS[name];
    const direct = rights.filter((right) => !right.includes(':'));
    allow(steps[name], 'dynamodb', direct, table.tableArn);
    if (rights.includes('Query:listing'))
      allow(steps[name], 'dynamodb', ['Query'], `${table.tableArn}/index/${STORE_ATTRIBUTES.indexName}`);
    if (table.encryptionKey !== undefined)
      allow(steps[name], 'kms', ['Decrypt', 'GenerateDataKey'], table.encryptionKey.keyArn);
  }
}

export interface QueueGrants {
  readonly deadLetterQueue: IQueue;
  readonly destinations: readonly IQueue[];
  readonly replayQueue?: IQueue;
  readonly keys: readonly IKey[];
  readonly parameterArn: string;
}

export function grantQueue(steps: RedriveSteps, queue: QueueGrants): void {
  for (const name of REDRIVE_STEPS) {
    allow(steps[name], 'sqs', DEAD_LETTER_RIGHTS[name] ?? [], queue.deadLetterQueue.queueArn);
    if (name !== 'pause') allow(steps[name], 'ssm', ['GetParameter'], queue.parameterArn);
  }
  for (const destination of queue.destinations)
    allow(steps.move, 'sqs', ['SendMessage'], destination.queueArn);
  if (queue.replayQueue !== undefined)
    allow(steps.settle, 'sqs', ['GetQueueAttributes'], queue.replayQueue.queueArn);
  for (const key of queue.keys) {
    allow(steps.move, 'kms', ['Decrypt', 'GenerateDataKey'], key.keyArn);
    allow(steps.settle, 'kms', ['Decrypt'], key.keyArn);
  }
}
