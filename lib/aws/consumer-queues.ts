import {
  ChangeMessageVisibilityBatchCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { ConsumerQueues, VisibilityChange } from '../core/consumer-queues';
import type { OutgoingCopy } from '../core/resend';
import { entryOf } from './send-entry';

const BATCH = 10;

/** What a consumer does to its queues, with each entry's own answer. */
export class SqsConsumerQueues implements ConsumerQueues {
  constructor(private readonly client: SQSClient) {}

  async changeVisibility(url: string, changes: readonly VisibilityChange[]): Promise<number> {
    let failed = 0;
    for (let from = 0; from < changes.length; from += BATCH) {
      const { Failed } = await this.client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: url,
          Entries: changes.slice(from, from + BATCH).map(({ receiptHandle, seconds }, index) => ({
            Id: String(index),
            ReceiptHandle: receiptHandle,
            VisibilityTimeout: seconds,
          })),
        }),
      );
      failed += Failed?.length ?? 0;
    }
    return failed;
  }

  async send(url: string, copies: readonly OutgoingCopy[]): Promise<(string | undefined)[]> {
    const { Successful } = await this.client.send(
      new SendMessageBatchCommand({ QueueUrl: url, Entries: copies.map(entryOf) }),
    );
    const ids: (string | undefined)[] = copies.map(() => undefined);
    for (const { Id, MessageId } of Successful ?? []) ids[Number(Id)] = MessageId;
    return ids;
  }
}
