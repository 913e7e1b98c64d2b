import { createHash } from 'node:crypto';
import { md5OfAttributes } from './checksums';
import {
  checkedBody,
  checkedFifoId,
  checkedMessageAttributes,
  checkedTraceHeader,
  sizeOf,
} from './message-rules';
import type { Queue } from './queue';
import type { Answer, Parameters } from './queue-actions';
import { numberOf } from './queue-settings';
import { invalidValue, missingParameter } from './sqs-error';
import type { MessageDraft } from './stored-message';

export interface CheckedSend {
  readonly draft: MessageDraft;
  readonly delaySeconds: number | undefined;
  readonly size: number;
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export function checkedSend(queue: Queue, given: Parameters, senderId: string): CheckedSend {
  const body = checkedBody(given['MessageBody']);
  const attributes = checkedMessageAttributes(given['MessageAttributes']);
  const traceHeader = checkedTraceHeader(given['MessageSystemAttributes']);
  const groupId = checkedFifoId('MessageGroupId', given['MessageGroupId']);
  const size = sizeOf(body, attributes);
  const limit = numberOf(queue.attributes, 'MaximumMessageSize');
  if (size > limit)
    throw invalidValue(
      `One or more parameters are invalid. Reason: Message must be shorter than ${limit} bytes.`,
    );
  const deduplicationId = checkedDeduplicationId(queue, given, body);
  if (queue.fifo && groupId === undefined) throw missingParameter('MessageGroupId');
  return {
    draft: {
      body,
      senderId,
      ...(attributes === undefined ? {} : { attributes }),
      ...(traceHeader === undefined ? {} : { traceHeader }),
      ...(groupId === undefined ? {} : { groupId }),
      ...(deduplicationId === undefined ? {} : { deduplicationId }),
    },
    delaySeconds: checkedDelay(queue, given['DelaySeconds']),
    size,
  };
}

export function performSend(queue: Queue, { draft, delaySeconds }: CheckedSend): Answer {
  const { messageId, md5, sequence } = queue.send(draft, delaySeconds);
  const md5Attributes = md5OfAttributes(draft.attributes);
  const md5System =
    draft.traceHeader === undefined
      ? undefined
      : md5OfAttributes({ AWSTraceHeader: { dataType: 'String', stringValue: draft.traceHeader } });
  return {
    MD5OfMessageBody: md5,
    ...(md5Attributes === undefined ? {} : { MD5OfMessageAttributes: md5Attributes }),
    ...(md5System === undefined ? {} : { MD5OfMessageSystemAttributes: md5System }),
    MessageId: messageId,
    ...(sequence === undefined ? {} : { SequenceNumber: sequence }),
  };
}

function checkedDeduplicationId(queue: Queue, given: Parameters, body: string): string | undefined {
  const named = checkedFifoId('MessageDeduplicationId', given['MessageDeduplicationId']);
  if (!queue.fifo) {
    if (named !== undefined)
      throw invalidValue(
        `Value ${named} for parameter MessageDeduplicationId is invalid. Reason: The request includes a parameter that is not valid for this queue type.`,
      );
    return undefined;
  }
  if (named !== undefined) return named;
  if (queue.attributes['ContentBasedDeduplication'] === 'true')
    return createHash('sha256').update(body).digest('hex');
  throw invalidValue(
    'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
  );
}

function checkedDelay(queue: Queue, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > 900)
    throw invalidValue(
      `Value ${String(value)} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`,
    );
  // A FIFO queue knows a delay of the whole queue only.
  if (queue.fifo) {
    if (Number(value) !== 0)
      throw invalidValue(
        `Value ${String(value)} for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.`,
      );
    return undefined;
  }
  return Number(value);
}
