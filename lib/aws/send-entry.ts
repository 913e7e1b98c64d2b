import type { MessageAttributeValue, SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import type { OutgoingCopy } from '../core/resend';

/** A message for SendMessageBatch; the id of the entry is its position. */
export function entryOf(copy: OutgoingCopy, index: number): SendMessageBatchRequestEntry {
  const attributes = Object.entries(copy.attributes).map(
    ([name, { dataType, stringValue, binaryValue }]): [string, MessageAttributeValue] => [
      name,
      {
        DataType: dataType,
        ...(binaryValue === undefined ? { StringValue: stringValue } : { BinaryValue: binaryValue }),
      },
    ],
  );
  return {
    Id: String(index),
    MessageBody: copy.body,
    ...(attributes.length === 0 ? {} : { MessageAttributes: Object.fromEntries(attributes) }),
    ...(copy.delaySeconds > 0 ? { DelaySeconds: copy.delaySeconds } : {}),
    ...(copy.groupId === undefined ? {} : { MessageGroupId: copy.groupId }),
    ...(copy.deduplicationId === undefined ? {} : { MessageDeduplicationId: copy.deduplicationId }),
    ...(copy.traceHeader === undefined
      ? {}
      : {
          MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: copy.traceHeader } },
        }),
  };
}
