import type { ConsumerQueue } from '../../lib/core/consumer-environment';
import type { SentRecord } from '../../lib/core/records';
import type { AttributeValues } from '../../lib/core/resend';
import type { SqsRecord } from './types';

/** A record with what the queue and the ledger say of it. */
export interface Incoming {
  readonly record: SqsRecord;
  /** Absent when the environment does not describe the queue. */
  readonly queue: ConsumerQueue | undefined;
  readonly queueName: string;
  readonly fifo: boolean;
  /** From the replay queue. */
  readonly redriven: boolean;
  /** Absent on a redriven message: the mover has not written it down yet. */
  readonly sent: SentRecord | undefined;
  readonly originalMessageId: string;
  readonly attempt: number;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/** Throws when the event can't be one: the whole batch is tried again then, and nothing is acknowledged by mistake. */
export function checkedRecords(event: unknown): SqsRecord[] {
  const records = (event as { Records?: unknown } | null)?.Records;
  if (!Array.isArray(records))
    throw new TypeError('EVENT_NOT_SQS: the event has no Records; map the function to a queue');
  for (const record of records as Partial<SqsRecord>[])
    if (typeof record?.messageId !== 'string' || record.messageId === '')
      throw new TypeError(
        'EVENT_NOT_SQS: a record has no messageId; the whole batch is left to be tried again',
      );
  return records as SqsRecord[];
}

/** One for each message: of a message that came twice the newest receipt handle counts. */
export function withoutRepeats(records: readonly SqsRecord[]): SqsRecord[] {
  const newest = new Map<string, SqsRecord>();
  for (const record of records) newest.set(record.messageId, record);
  return [...newest.values()];
}

export function incomingOf(
  record: SqsRecord,
  queues: readonly ConsumerQueue[],
  lineage: ReadonlyMap<string, SentRecord>,
  nowMs: number,
): Incoming {
  const arn = String(record.eventSourceARN ?? '');
  const queue = queues.find(({ sourceArn, replayArn }) => sourceArn === arn || replayArn === arn);
  const redriven = queue !== undefined && queue.replayArn === arn;
  const sent = redriven ? lineage.get(record.messageId) : undefined;
  return {
    record,
    queue,
    queueName: (queue?.sourceArn ?? arn).split(':').at(-1) ?? arn,
    fifo: arn.endsWith('.fifo'),
    redriven,
    sent,
    originalMessageId: sent?.originalMessageId ?? record.messageId,
    attempt: Math.max(1, numberOf(record.attributes?.['ApproximateReceiveCount'], 1)),
    sentAtMs: sent?.originalSentAt ?? numberOf(record.attributes?.['SentTimestamp'], nowMs),
    receivedAtMs: nowMs,
  };
}

/** Message attributes for the handler: bytes where they were bytes. */
export function plainAttributes(record: SqsRecord): Record<string, string | Uint8Array> {
  return Object.fromEntries(
    Object.entries(record.messageAttributes ?? {}).map(([name, { stringValue, binaryValue }]) => [
      name,
      binaryValue === undefined ? (stringValue ?? '') : bytesOf(binaryValue),
    ]),
  );
}

/** Message attributes for a send: the same types and bytes as they came in (field rule F64). */
export function attributeValues(record: SqsRecord): AttributeValues {
  return Object.fromEntries(
    Object.entries(record.messageAttributes ?? {}).map(([name, { dataType, stringValue, binaryValue }]) => [
      name,
      {
        dataType,
        ...(binaryValue === undefined
          ? { stringValue: stringValue ?? '' }
          : { binaryValue: bytesOf(binaryValue) }),
      },
    ]),
  );
}

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

function numberOf(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return text === undefined || !Number.isFinite(value) ? otherwise : value;
}
