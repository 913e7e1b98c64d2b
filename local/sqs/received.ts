import { md5OfAttributes } from './checksums';
import type { Queue } from './queue';
import { receiptHandle } from './receipt-handle';
import { type MessageAttributes, type StoredMessage, sequenceNumber } from './stored-message';

/** System attributes by name, all as text. */
export function systemAttributes(queue: Queue, message: StoredMessage): Record<string, string> {
  const { groupId, deduplicationId, traceHeader, deadLetterSourceArn } = message;
  return {
    SenderId: message.senderId,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(queue.fifo ? { SequenceNumber: sequenceNumber(message) } : {}),
    ...(deduplicationId === undefined ? {} : { MessageDeduplicationId: deduplicationId }),
    ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
    ...(traceHeader === undefined ? {} : { AWSTraceHeader: traceHeader }),
    ...(deadLetterSourceArn === undefined ? {} : { DeadLetterQueueSourceArn: deadLetterSourceArn }),
  };
}

export function handleOf(queue: Queue, message: StoredMessage): string {
  return receiptHandle({ queueName: queue.name, serial: message.serial, receive: message.receivesHere });
}

/** The message as ReceiveMessage answers it, with the attributes that were asked for and no others. */
export function receivedMessage(
  queue: Queue,
  message: StoredMessage,
  asked: { readonly system: readonly string[]; readonly attributes: readonly string[] },
): Record<string, unknown> {
  const system =
    asked.system.length === 0 ? undefined : chosen(systemAttributes(queue, message), asked.system);
  const attributes = matching(message.attributes, asked.attributes);
  return {
    MessageId: message.messageId,
    ReceiptHandle: handleOf(queue, message),
    MD5OfBody: message.md5,
    Body: message.body,
    ...(system === undefined ? {} : { Attributes: system }),
    ...(attributes === undefined
      ? {}
      : { MessageAttributes: onTheWire(attributes), MD5OfMessageAttributes: md5OfAttributes(attributes) }),
  };
}

function onTheWire(attributes: MessageAttributes): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { dataType, stringValue, binaryValue }]) => [
      name,
      {
        DataType: dataType,
        ...(binaryValue === undefined
          ? { StringValue: stringValue ?? '' }
          : { BinaryValue: binaryValue.toString('base64') }),
      },
    ]),
  );
}

function chosen(all: Record<string, string>, asked: readonly string[]): Record<string, string> | undefined {
  if (asked.length === 0) return undefined;
  if (asked.includes('All')) return all;
  const found = Object.entries(all).filter(([name]) => asked.includes(name));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** `All`, `.*`, a prefix such as `bar.*`, or a name. */
function matching(
  all: MessageAttributes | undefined,
  asked: readonly string[],
): MessageAttributes | undefined {
  if (all === undefined || asked.length === 0) return undefined;
  if (asked.includes('All') || asked.includes('.*')) return all;
  const found = Object.entries(all).filter(([name]) =>
    asked.some((pattern) =>
      pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    ),
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
