import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IRecoverableQueue } from './recoverable-queue-interface';

/**
 * Exactly what mapping and library do. The library's half does no harm to a consumer in another language. On the side of
 * the role alone, so that queue, key and function may be in different stacks (field rule F45).
 */
export function grantConsume(queue: IRecoverableQueue, consumer: IFunction): void {
  const { sourceQueue, replayQueue, deadLetterQueue, idempotencyTable, failureStore } = queue;
  const allow = (prefix: string, actions: readonly string[], ...resources: string[]): void => {
    consumer.addToRolePolicy(
      new iam.PolicyStatement({ actions: actions.map((action) => `${prefix}:${action}`), resources }),
    );
  };
  const sources = [sourceQueue, ...(replayQueue === undefined ? [] : [replayQueue])];
  allow(
    'sqs',
    ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'],
    ...sources.map(({ queueArn }) => queueArn),
  );
  allow('sqs', ['SendMessage'], deadLetterQueue.queueArn);
  allow('dynamodb', ['PutItem', 'UpdateItem', 'DeleteItem'], idempotencyTable.table.tableArn);
  allow('dynamodb', ['UpdateItem', 'BatchGetItem', 'BatchWriteItem'], failureStore.table.tableArn);
  // Decrypt to receive, both to send and to write. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
  const reading = keysOf(sources.map(({ encryptionMasterKey }) => encryptionMasterKey));
  const writing = keysOf([
    deadLetterQueue.encryptionMasterKey,
    idempotencyTable.table.encryptionKey,
    failureStore.table.encryptionKey,
  ]);
  for (const key of new Set([...reading, ...writing]))
    allow('kms', writing.has(key) ? ['Decrypt', 'GenerateDataKey'] : ['Decrypt'], key.keyArn);
}

function keysOf(keys: readonly (IKey | undefined)[]): Set<IKey> {
  return new Set(keys.filter((key) => key !== undefined));
}
