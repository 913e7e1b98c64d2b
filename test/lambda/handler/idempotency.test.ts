import { permanent, transient, uncertain } from 'cdk-redrive/handler';
import {
  invocationContext,
  MemoryServices,
  sqsEvent,
  sqsRecord,
  testConsumer,
} from 'cdk-redrive/handler/testing';
import { describe, expect, it } from 'vitest';

interface Payment {
  readonly id?: unknown;
  readonly amount?: number;
}

const pay = (body: Payment, id = 'm', more = {}) => sqsEvent(sqsRecord(body, { messageId: id, ...more }));
const failed = (response: { readonly batchItemFailures: readonly unknown[] }): number =>
  response.batchItemFailures.length;

function payments(process: () => unknown = () => {}, options = {}) {
  let calls = 0;
  const made = testConsumer<Payment>({
    operationId: ({ id }) => id as string,
    process: () => {
      calls++;
      return process();
    },
    ...options,
  });
  return { ...made, calls: () => calls };
}

describe('an operation', () => {
  it('is done once, and its repeats are acknowledged', async () => {
    const { handler, calls } = payments();
    expect(failed(await handler(pay({ id: 'p1' }, 'a'), invocationContext()))).toBe(0);
    expect(failed(await handler(pay({ id: 'p1' }, 'b'), invocationContext()))).toBe(0);
    expect(calls()).toBe(1);
  });

  it('is tried again after a failure, at once', async () => {
    let down = true;
    const { handler, calls } = payments(() => {
      if (down) throw transient('DOWN');
    });
    expect(failed(await handler(pay({ id: 'p1' }), invocationContext()))).toBe(1);
    down = false;
    expect(failed(await handler(pay({ id: 'p1' }), invocationContext()))).toBe(0);
    expect(calls()).toBe(2);
  });

  it.each([undefined, '', '  ', null, Number.NaN, {}, 2 ** 53])(
    'with the id %j is refused for good',
    async (id) => {
      const { handler, services, calls } = payments();
      await handler(pay({ id }), invocationContext());
      expect(calls()).toBe(0);
      expect(services.failures.failures.get('m')).toMatchObject({
        code: 'OPERATION_ID_MISSING',
        status: 'dead-lettered',
      });
    },
  );

  it('with another payload is refused for good', async () => {
    const { handler, services, calls } = payments();
    await handler(pay({ id: 'p1', amount: 1 }, 'a'), invocationContext());
    await handler(pay({ amount: 2, id: 'p1' }, 'b'), invocationContext());
    expect(calls()).toBe(1);
    expect(services.failures.failures.get('b')).toMatchObject({ code: 'PAYLOAD_MISMATCH' });
  });

  it('is the same whatever the order of keys', async () => {
    const { handler, calls } = payments();
    await handler(sqsEvent(sqsRecord('{"id":"p1","amount":1}', { messageId: 'a' })), invocationContext());
    await handler(sqsEvent(sqsRecord('{"amount":1,"id":"p1"}', { messageId: 'b' })), invocationContext());
    expect(calls()).toBe(1);
  });

  it('in progress elsewhere is put back until that claim ends', async () => {
    const services = new MemoryServices();
    const { handler } = testConsumer<Payment>(
      { operationId: ({ id }) => String(id), process: () => {} },
      services,
    );
    await services.idempotency.claim({
      key: 'test-consumer#p1',
      fingerprint: services.digest('{"id":"p1"}'),
      nowMs: services.clock,
      holdUntilMs: services.clock + 30_000,
      expiresAt: services.clock / 1000 + 1_000,
    });
    expect(failed(await handler(pay({ id: 'p1' }), invocationContext()))).toBe(1);
    expect(services.delays).toEqual([{ receiptHandle: 'receipt-m', seconds: 31 }]);
    services.clock += 31_000;
    expect(failed(await handler(pay({ id: 'p1' }), invocationContext()))).toBe(0);
  });

  it('is held as long as the author says', async () => {
    const { handler, services } = payments(() => new Promise(() => {}), {
      idempotency: { holdSeconds: 3_600 },
    });
    await handler(pay({ id: 'p1' }), invocationContext(100));
    services.clock += 60_000;
    const { handler: second, calls } = {
      ...payments(),
      handler: testConsumer<Payment>({ operationId: ({ id }) => String(id), process: () => {} }, services)
        .handler,
    };
    expect(failed(await second(pay({ id: 'p1' }), invocationContext()))).toBe(1);
    expect(calls()).toBe(0);
  });

  it('that may have been done is asked about before it is repeated', async () => {
    let answer: 'done' | 'not-done' | 'unknown' = 'unknown';
    let lost = true;
    const { handler, calls } = payments(
      () => {
        if (lost) throw uncertain('ANSWER_LOST');
      },
      { idempotency: { reconcile: () => answer } },
    );
    expect(failed(await handler(pay({ id: 'p1' }), invocationContext()))).toBe(1);
    lost = false;
    expect(failed(await handler(pay({ id: 'p1' }), invocationContext()))).toBe(1);
    expect(calls()).toBe(1);
    answer = 'done';
    expect(failed(await handler(pay({ id: 'p1' }), invocationContext()))).toBe(0);
    expect(calls()).toBe(1);
  });

  it('whose table does not answer is not begun', async () => {
    const services = new MemoryServices();
    services.idempotency.claim = async () => {
      throw new Error('no table');
    };
    let calls = 0;
    const { handler } = testConsumer({ process: () => calls++ }, services);
    expect(failed(await handler(pay({}), invocationContext()))).toBe(1);
    expect(calls).toBe(0);
  });

  it('that was done is acknowledged though its completion could not be written, with a warning', async () => {
    const services = new MemoryServices();
    services.idempotency.complete = async () => {
      throw new Error('no table');
    };
    const { handler } = testConsumer({ process: () => {} }, services);
    expect(failed(await handler(pay({}), invocationContext()))).toBe(0);
    expect(services.lines.join('')).toContain('COMPLETION_NOT_WRITTEN');
  });
});

describe('a redriven message', () => {
  const redriven = (more = {}) =>
    pay({ id: 'p1' }, 'new-id', {
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:test-replay',
      ...more,
    });
  const sent = {
    runId: 'run-1',
    queueName: 'test',
    originalMessageId: 'first-id',
    newMessageId: 'new-id',
    originalSentAt: Date.UTC(2026, 0, 1),
    attemptsBefore: 5,
    redrives: 1,
    sentAt: '2026-01-05T09:00:00.000Z',
  };

  it('keeps its first id and its attempts, and reports its outcome', async () => {
    const services = new MemoryServices();
    services.failures.sent.set('new-id', sent);
    const contexts: unknown[] = [];
    const { handler } = testConsumer({ process: (_body, context) => contexts.push(context) }, services);
    await handler(redriven(), invocationContext());
    expect(contexts).toMatchObject([
      { originalMessageId: 'first-id', operationId: 'first-id', totalAttempts: 6, runId: 'run-1' },
    ]);
    expect(services.failures.outcomes).toMatchObject([
      { newMessageId: 'new-id', originalMessageId: 'first-id', outcome: 'succeeded' },
    ]);
  });

  it('that comes back says why, and the copy keeps the lineage', async () => {
    const services = new MemoryServices();
    services.failures.sent.set('new-id', sent);
    const { handler } = testConsumer(
      {
        process: () => {
          throw permanent('STILL_BROKEN');
        },
      },
      services,
    );
    await handler(redriven(), invocationContext());
    expect(services.failures.outcomes).toMatchObject([{ outcome: 'returned', code: 'STILL_BROKEN' }]);
    expect(services.failures.sent.get('copy-1')).toMatchObject({
      originalMessageId: 'first-id',
      runId: 'run-1',
      redrives: 1,
    });
    expect(services.failures.failures.get('first-id')).toMatchObject({ attempts: 6, lastRunId: 'run-1' });
  });

  it('that the ledger does not know yet is put back, unless the author names the operation', async () => {
    const { handler, services } = testConsumer({ process: () => {} });
    expect(failed(await handler(redriven(), invocationContext()))).toBe(1);
    expect(services.delays).toEqual([{ receiptHandle: 'receipt-new-id', seconds: 5 }]);
    const named = payments();
    expect(failed(await named.handler(redriven(), invocationContext()))).toBe(0);
  });
});
