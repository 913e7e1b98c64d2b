import { type ConsumerHandler, consumerWith } from './consumer';
import { MemoryServices, TEST_QUEUE } from './memory-services';
import type { ConsumerOptions, InvocationContext, SqsRecord } from './types';

export { MemoryServices, TEST_QUEUE };

/** A record as Lambda gives it, for a unit test. `body` is made JSON unless it is text. */
export function sqsRecord(body: unknown, more: Partial<SqsRecord> = {}): SqsRecord {
  const messageId = more.messageId ?? 'message-1';
  return {
    messageId,
    receiptHandle: `receipt-${messageId}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    messageAttributes: {},
    eventSourceARN: TEST_QUEUE.sourceArn,
    ...more,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(Date.UTC(2026, 0, 5, 9)),
      ...more.attributes,
    },
  };
}

export function sqsEvent(...records: SqsRecord[]): { readonly Records: readonly SqsRecord[] } {
  return { Records: records };
}

/** Ten seconds are left, unless said otherwise. */
export function invocationContext(remainingMs = 10_000): InvocationContext {
  return {
    getRemainingTimeInMillis: () => remainingMs,
    functionName: 'test',
    functionVersion: '1',
    awsRequestId: 'request-1',
  };
}

/** A consumer without AWS: `services` tells what it did. */
export function testConsumer<T = unknown>(
  options: ConsumerOptions<T>,
  services: MemoryServices = new MemoryServices(),
): { readonly handler: ConsumerHandler; readonly services: MemoryServices } {
  return { handler: consumerWith(options, services), services };
}
