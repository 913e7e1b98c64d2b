import { createHash } from 'node:crypto';
import type { MessageAttributes } from './stored-message';

const STRING = Buffer.from([1]);
const BINARY = Buffer.from([2]);

/**
 * Over names, types and values, sorted by name, each with its length.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation
 */
export function md5OfAttributes(attributes: MessageAttributes | undefined): string | undefined {
  const names = Object.keys(attributes ?? {}).sort();
  if (attributes === undefined || names.length === 0) return undefined;
  const hash = createHash('md5');
  const add = (bytes: Buffer): void => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of names) {
    const { dataType, stringValue, binaryValue } = attributes[name] as MessageAttributes[string];
    add(Buffer.from(name));
    add(Buffer.from(dataType));
    if (binaryValue !== undefined) {
      hash.update(BINARY);
      add(binaryValue);
    } else {
      hash.update(STRING);
      add(Buffer.from(stringValue ?? ''));
    }
  }
  return hash.digest('hex');
}
