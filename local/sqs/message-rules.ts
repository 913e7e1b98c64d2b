import { invalidValue, missingParameter, SqsError } from './sqs-error';
import type { MessageAttribute, MessageAttributes } from './stored-message';

const MAXIMUM_ATTRIBUTES = 10;

/** #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD and #x10000 to #x10FFFF. */
// biome-ignore format: the reason below must stand right above the expression
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that SQS refuses
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export function checkedBody(body: unknown): string {
  if (body === undefined || body === null) throw missingParameter('MessageBody');
  if (typeof body !== 'string') throw invalidValue('The parameter MessageBody must be a string.');
  if (body.length === 0) throw missingParameter('MessageBody');
  if (FORBIDDEN.test(body))
    throw new SqsError('InvalidMessageContents', 'Invalid characters found in the message body.');
  return body;
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html */
export function checkedMessageAttributes(given: unknown): MessageAttributes | undefined {
  const entries = Object.entries((given ?? {}) as Record<string, Record<string, unknown> | null>);
  if (entries.length === 0) return undefined;
  if (entries.length > MAXIMUM_ATTRIBUTES)
    throw invalidValue(
      `Number of message attributes [${entries.length}] exceeds the allowed maximum [${MAXIMUM_ATTRIBUTES}].`,
    );
  return Object.fromEntries(
    entries.map(([name, value]) => [checkedName(name), checkedAttribute(name, value)]),
  );
}

/** The only system attribute that a producer may set. */
export function checkedTraceHeader(given: unknown): string | undefined {
  for (const [name, value] of Object.entries((given ?? {}) as Record<string, Record<string, unknown>>)) {
    if (name !== 'AWSTraceHeader') throw invalidValue(`Message system attribute name '${name}' is invalid.`);
    if (value['DataType'] !== 'String' || typeof value['StringValue'] !== 'string')
      throw invalidValue('The message system attribute AWSTraceHeader must be a String with a value.');
    return value['StringValue'];
  }
  return undefined;
}

/** 1 to 128 letters, digits and punctuation. */
export function checkedFifoId(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !/^[A-Za-z0-9!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]{1,128}$/.test(value))
    throw invalidValue(
      `Value ${String(value).slice(0, 150)} for parameter ${name} is invalid. Reason: ${name} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
    );
  return value;
}

/** Bytes of the body, and of each attribute's name, type and value; system attributes do not count. */
export function sizeOf(body: string, attributes: MessageAttributes | undefined): number {
  let size = Buffer.byteLength(body);
  for (const [name, { dataType, stringValue, binaryValue }] of Object.entries(attributes ?? {}))
    size +=
      Buffer.byteLength(name) +
      Buffer.byteLength(dataType) +
      (binaryValue?.length ?? Buffer.byteLength(stringValue ?? ''));
  return size;
}

function checkedName(name: string): string {
  const wellFormed = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(name) && name.length <= 256;
  if (!wellFormed || /^(aws|amazon)\./i.test(name))
    throw invalidValue(
      `Invalid message attribute name '${name.slice(0, 300)}': up to 256 letters, digits, '_', '-' and single inner periods, not beginning with AWS. or Amazon.`,
    );
  return name;
}

function checkedAttribute(name: string, given: Record<string, unknown> | null): MessageAttribute {
  const dataType = given?.['DataType'];
  if (typeof dataType !== 'string' || dataType.length === 0)
    throw invalidValue(`The message attribute '${name}' must contain a non-empty message attribute type.`);
  if (!/^(String|Number|Binary)(\..+)?$/.test(dataType) || dataType.length > 256)
    throw invalidValue(
      `The type of message (user) attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
    );
  const { StringValue: text, BinaryValue: bytes } = given as { StringValue?: unknown; BinaryValue?: unknown };
  if (dataType.startsWith('Binary')) {
    const binaryValue = typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : undefined;
    if (binaryValue === undefined || binaryValue.length === 0)
      throw emptyValue(name, dataType, 'BinaryValue');
    return { dataType, binaryValue };
  }
  if (typeof text !== 'string' || text.length === 0) throw emptyValue(name, dataType, 'StringValue');
  if (FORBIDDEN.test(text))
    throw invalidValue(`Invalid characters found in the value of the message attribute '${name}'.`);
  if (dataType.startsWith('Number') && !isNumber(text))
    throw invalidValue(`Can't cast the value of message (user) attribute '${name}' to a number.`);
  return { dataType, stringValue: text };
}

function isNumber(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text.trim()) && text.trim().length <= 256;
}

function emptyValue(name: string, dataType: string, field: string): SqsError {
  return invalidValue(
    `The message (user) attribute '${name}' must contain a non-empty value in ${field} for the message (user) attribute type '${dataType}'.`,
  );
}
