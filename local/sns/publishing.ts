import type { QueueMessageAttribute } from '../gateway/ports';
import { members } from '../gateway/query-protocol';
import { invalid } from './sns-error';
import type { Notification } from './topics';

/** https://docs.aws.amazon.com/general/latest/gr/sns.html#limits_sns */
const MAXIMUM_BYTES = 262_144;
const MAXIMUM_SUBJECT = 100;

/** What a Publish, or one entry of a PublishBatch, wants to send. */
export function notificationOf(given: URLSearchParams): Notification {
  const message = given.get('Message') ?? '';
  if (message === '') throw invalid('Empty message');
  const attributes = messageAttributes(given);
  if (sizeOf(message, attributes) > MAXIMUM_BYTES) throw invalid('Message too long');
  const subject = given.get('Subject');
  if (subject !== null && (subject === '' || subject.length > MAXIMUM_SUBJECT)) throw invalid('Subject');
  const bodies = given.get('MessageStructure') === 'json' ? bodiesOf(message) : undefined;
  const [groupId, deduplicationId] = [given.get('MessageGroupId'), given.get('MessageDeduplicationId')];
  return {
    body: bodies?.['default'] ?? message,
    attributes,
    ...(bodies === undefined ? {} : { bodies }),
    ...(subject === null ? {} : { subject }),
    ...(groupId === null ? {} : { groupId }),
    ...(deduplicationId === null ? {} : { deduplicationId }),
  };
}

/** The size of a message is that of its text and of its attributes with names and types. */
export function sizeOf(
  message: string,
  attributes: Readonly<Record<string, QueueMessageAttribute>> = {},
): number {
  return Object.entries(attributes).reduce(
    (sum, [name, { dataType, stringValue, binaryValue }]) =>
      sum +
      Buffer.byteLength(name) +
      Buffer.byteLength(dataType) +
      (binaryValue?.length ?? Buffer.byteLength(stringValue ?? '')),
    Buffer.byteLength(message),
  );
}

export function batchFits(entries: readonly Notification[]): boolean {
  return entries.reduce((sum, { body, attributes }) => sum + sizeOf(body, attributes), 0) <= MAXIMUM_BYTES;
}

function bodiesOf(message: string): Record<string, string> {
  let bodies: unknown;
  try {
    bodies = JSON.parse(message);
  } catch {
    throw invalid('Message Structure - JSON message body failed to parse');
  }
  if (typeof (bodies as { default?: unknown } | null)?.default !== 'string')
    throw invalid('Message Structure - No default entry in JSON message body');
  return bodies as Record<string, string>;
}

function messageAttributes(given: URLSearchParams): Record<string, QueueMessageAttribute> {
  return Object.fromEntries(
    members(given, 'MessageAttributes').map((fields) => {
      const name = fields.get('Name') ?? '';
      const dataType = fields.get('Value.DataType') ?? '';
      if (!/^(String|Number|Binary)(\.|$)/.test(dataType))
        throw invalid(`The message attribute '${name}' has an invalid message attribute type`);
      const binary = fields.get('Value.BinaryValue');
      if (binary !== undefined) return [name, { dataType, binaryValue: Buffer.from(binary, 'base64') }];
      return [name, { dataType, stringValue: fields.get('Value.StringValue') ?? '' }];
    }),
  );
}
