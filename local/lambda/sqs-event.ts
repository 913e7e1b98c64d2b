import type { QueueMessage, QueueMessageAttribute } from '../gateway/ports';

/** The event that a mapping gives to a function. https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event */
export function sqsEvent(
  messages: readonly QueueMessage[],
  queueArn: string,
  region: string,
): { Records: object[] } {
  return {
    Records: messages.map((message) => ({
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
    })),
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
