import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { AttributeValues, OutgoingCopy } from '../core/resend';
import type { DeadLetter, QueueDepth, RedriveQueues, SendResult } from '../operations/redrive-ports';
import { entryOf } from './send-entry';

const BATCH = 10;
const DELETE_TRIES = 3;

/** The queues of a redrive through the SDK. Answers of batch calls are read entry by entry: a 200 says little. */
export class SqsRedriveQueues implements RedriveQueues {
  constructor(private readonly client: SQSClient) {}

  async receive(url: string, maximum: number, holdSeconds: number): Promise<DeadLetter[]> {
    const { Messages } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: Math.min(BATCH, maximum),
        VisibilityTimeout: holdSeconds,
        WaitTimeSeconds: 0,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return (Messages ?? []).map(deadLetterOf);
  }

  async send(url: string, copies: readonly OutgoingCopy[]): Promise<SendResult[]> {
    const { Successful, Failed } = await this.client.send(
      new SendMessageBatchCommand({ QueueUrl: url, Entries: copies.map(entryOf) }),
    );
    const results: SendResult[] = copies.map(() => ({ refused: 'no answer', retryable: true }));
    for (const { Id, Code, SenderFault } of Failed ?? [])
      results[Number(Id)] = { refused: Code ?? 'unknown', retryable: SenderFault !== true };
    for (const { Id, MessageId } of Successful ?? []) results[Number(Id)] = { messageId: MessageId ?? '' };
    return results;
  }

  async delete(url: string, receiptHandles: readonly string[]): Promise<void> {
    for (const chunk of chunks(receiptHandles)) {
      let left = chunk;
      for (let attempt = 0; left.length > 0 && attempt < DELETE_TRIES; attempt++) {
        const { Failed } = await this.client.send(
          new DeleteMessageBatchCommand({
            QueueUrl: url,
            Entries: left.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
          }),
        );
        const failed = new Set(
          (Failed ?? []).filter(({ SenderFault }) => SenderFault !== true).map(({ Id }) => Number(Id)),
        );
        left = left.filter((_, index) => failed.has(index));
      }
      // What could not be deleted comes back, is known as taken, and is deleted then.
    }
  }

  async release(url: string, receiptHandles: readonly string[]): Promise<void> {
    for (const chunk of chunks(receiptHandles))
      await this.client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: url,
          Entries: chunk.map((ReceiptHandle, index) => ({
            Id: String(index),
            ReceiptHandle,
            VisibilityTimeout: 0,
          })),
        }),
      );
  }

  async depth(url: string): Promise<QueueDepth> {
    const { Attributes } = await this.client.send(
      new GetQueueAttributesCommand({
        QueueUrl: url,
        AttributeNames: [
          'ApproximateNumberOfMessages',
          'ApproximateNumberOfMessagesNotVisible',
          'ApproximateNumberOfMessagesDelayed',
        ],
      }),
    );
    return {
      visible: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
      inFlight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
      delayed: Number(Attributes?.ApproximateNumberOfMessagesDelayed ?? 0),
    };
  }
}

function deadLetterOf(message: Message): DeadLetter {
  const { Attributes: system = {} } = message;
  const optional = <T extends string>(name: T, value: string | undefined) =>
    (value === undefined ? {} : { [name]: value }) as { readonly [K in T]?: string };
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: attributesOf(message.MessageAttributes ?? {}),
    receiveCount: Number(system.ApproximateReceiveCount ?? 0),
    sentAt: Number(system.SentTimestamp ?? 0),
    ...optional('groupId', system.MessageGroupId),
    ...optional('traceHeader', system.AWSTraceHeader),
    ...optional('sourceArn', system.DeadLetterQueueSourceArn),
  };
}

function attributesOf(given: Readonly<Record<string, MessageAttributeValue>>): AttributeValues {
  return Object.fromEntries(
    Object.entries(given).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        dataType: DataType ?? 'String',
        ...(StringValue === undefined ? {} : { stringValue: StringValue }),
        ...(BinaryValue === undefined ? {} : { binaryValue: BinaryValue }),
      },
    ]),
  );
}

function chunks<T>(items: readonly T[]): T[][] {
  const result: T[][] = [];
  for (let from = 0; from < items.length; from += BATCH) result.push(items.slice(from, from + BATCH));
  return result;
}
