/** The largest message, and the largest batch: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAXIMUM_BYTES = 1_048_576;
const MAXIMUM_ENTRIES = 10;

export interface AttributeValue {
  readonly dataType: string;
  readonly stringValue?: string;
  readonly binaryValue?: Uint8Array;
}

export type AttributeValues = Readonly<Record<string, AttributeValue>>;

/** A message as it leaves one queue for another. */
export interface OutgoingCopy {
  readonly body: string;
  readonly attributes: AttributeValues;
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly traceHeader?: string;
  readonly delaySeconds: number;
}

/** UTF-8 bytes of the body, and of each attribute's name, type and value. */
export function messageBytes(body: string, attributes: AttributeValues): number {
  let bytes = utf8Length(body);
  for (const [name, { dataType, stringValue, binaryValue }] of Object.entries(attributes))
    bytes += utf8Length(name) + utf8Length(dataType) + (binaryValue?.length ?? utf8Length(stringValue ?? ''));
  return bytes;
}

/** Batches of at most ten messages and one mebibyte, in the given order. */
export function packed<T>(items: readonly T[], bytesOf: (item: T) => number): T[][] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (batch.length > 0 && (batch.length === MAXIMUM_ENTRIES || bytes + size > MAXIMUM_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/**
 * A deduplication id for one redrive of one message: the old one would be swallowed within five minutes (field rule
 * F54), a random one would not recognise the repeat after a crash.
 */
export function redriveDeduplicationId(runId: string, deadLetterMessageId: string): string {
  return `${runId}.${deadLetterMessageId}`.slice(0, 128);
}

/**
 * The trace header without its lineage: the hop count of the old life would let Lambda's recursion guard drop the
 * message (field rule F15). https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export function traceHeaderWithoutLineage(header: string | undefined): string | undefined {
  const kept = header?.split(';').filter((part) => !part.trim().startsWith('Lineage='));
  return kept === undefined || kept.length === 0 ? undefined : kept.join(';');
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7ff && (code < 0xd800 || code > 0xdfff)) length += 2;
    else if (code > 0x7f) length += 1;
  }
  return length;
}
