import { SqsError } from './sqs-error';

export interface Receipt {
  readonly queueName: string;
  readonly serial: number;
  /** Which receive of the message it was. */
  readonly receive: number;
}

const PREFIX = 'AQEB';

/** Opaque for clients; here it says all, so that no table of handles is needed. */
export function receiptHandle({ queueName, serial, receive }: Receipt): string {
  return PREFIX + Buffer.from(`${queueName}|${serial}|${receive}`).toString('base64');
}

export function readReceipt(handle: unknown, queueName: string): Receipt {
  const [name, serial, receive] =
    typeof handle === 'string' && handle.startsWith(PREFIX)
      ? Buffer.from(handle.slice(PREFIX.length), 'base64').toString('utf8').split('|')
      : [];
  if (name !== queueName || !/^\d+$/.test(serial ?? '') || !/^\d+$/.test(receive ?? ''))
    throw new SqsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${String(handle).slice(0, 100)}" is not a valid receipt handle.`,
    );
  return { queueName, serial: Number(serial), receive: Number(receive) };
}
