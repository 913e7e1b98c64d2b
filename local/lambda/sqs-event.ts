import type { QueueMessage, QueueMessageAttribute } from '../gateway/ports';

/** Of one event. https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventsourcemapping.html#invocation-eventsourcemapping-batching */
const MAXIMUM_EVENT_BYTES = 6 * 1024 * 1024;
const ENVELOPE_BYTES = '{"Records":[]}'.length;

export interface SqsBatch {
  readonly messages: readonly QueueMessage[];
  /** The event as JSON. */
  readonly payload: string;
  /** What did not fit, for another event. */
  readonly rest: readonly QueueMessage[];
}

/**
 * The event that a mapping gives to a function, with as many of the messages as fit, and one at least.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
 */
export function sqsBatch(messages: readonly QueueMessage[], queueArn: string, region: string): SqsBatch {
  const records: string[] = [];
  let bytes = ENVELOPE_BYTES;
  for (const message of messages) {
    const record = JSON.stringify(recordOf(message, queueArn, region));
    bytes += Buffer.byteLength(record) + (records.length === 0 ? 0 : 1);
    if (records.length > 0 && bytes > MAXIMUM_EVENT_BYTES) break;
    records.push(record);
  }
  return {
    messages: messages.slice(0, records.length),
    payload: `{"Records":[${records.join(',')}]}`,
    rest: messages.slice(records.length),
  };
}

function recordOf(message: QueueMessage, queueArn: string, region: string): object {
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: message.attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.messageAttributes).map(([name, value]) => [name, eventAttribute(value)]),
    ),
    md5OfBody: message.md5OfBody,
    ...(message.md5OfMessageAttributes === undefined
      ? {}
      : { md5OfMessageAttributes: message.md5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

function eventAttribute({ dataType, stringValue, binaryValue }: QueueMessageAttribute): object {
  return {
    ...(binaryValue === undefined ? { stringValue } : { binaryValue: binaryValue.toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType,
  };
}
