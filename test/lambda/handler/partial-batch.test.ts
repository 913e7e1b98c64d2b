import { consumer, permanent, transient } from 'cdk-redrive/handler';
import {
  invocationContext,
  MemoryServices,
  sqsEvent,
  sqsRecord,
  testConsumer,
} from 'cdk-redrive/handler/testing';
import { describe, expect, it } from 'vitest';

const ids = (response: {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}): string[] => response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
const record = (id: string, body: unknown = {}, more = {}) => sqsRecord(body, { messageId: id, ...more });

describe('the answer to a batch', () => {
  it('is exactly the one that Lambda reads, whatever process returns', async () => {
    for (const value of ['ok', { statusCode: 200 }, [], undefined]) {
      const { handler } = testConsumer({ process: () => value });
      expect(JSON.stringify(await handler(sqsEvent(record('a')), invocationContext()))).toBe(
        '{"batchItemFailures":[]}',
      );
    }
  });

  it.each([
    ['undefined', undefined],
    ['a text', 'x'],
    ['null', null],
    ['a number', 5],
    ['an error', new Error('x')],
  ])('lists a record whose process throws %s', async (_what, thrown) => {
    const { handler } = testConsumer({
      process: () => {
        throw thrown;
      },
    });
    expect(ids(await handler(sqsEvent(record('a'), record('b')), invocationContext()))).toEqual(['a', 'b']);
  });

  it('keeps one unparseable body from its neighbours', async () => {
    const seen: unknown[] = [];
    const { handler, services } = testConsumer({ process: (body) => seen.push(body) });
    const response = await handler(
      sqsEvent(record('a', { n: 1 }), record('b', '{oops'), record('c', { n: 3 })),
      invocationContext(),
    );
    expect([ids(response), seen]).toEqual([[], [{ n: 1 }, { n: 3 }]]);
    expect(services.isolated.map(({ body }) => body)).toEqual(['{oops']);
    expect(services.failures.failures.get('b')).toMatchObject({
      code: 'BODY_NOT_JSON',
      reason: 'the body is not JSON',
    });
  });

  it('fails the whole invocation rather than answer for a record without an id', async () => {
    const { handler } = testConsumer({ process: () => {} });
    for (const event of [
      {},
      null,
      { Records: 'x' },
      { Records: [{}] },
      { Records: [{ messageId: '' }] },
      { Records: [null] },
    ])
      await expect(handler(event, invocationContext())).rejects.toThrow('EVENT_NOT_SQS');
  });

  it('handles a message that came twice once, and lists it once', async () => {
    let calls = 0;
    const { handler } = testConsumer({
      process: () => {
        calls++;
        throw transient('DOWN');
      },
    });
    const response = await handler(
      sqsEvent(record('a'), record('a', {}, { receiptHandle: 'newer' })),
      invocationContext(),
    );
    expect([ids(response), calls]).toEqual([['a'], 1]);
  });

  it('keeps a record listed when its backoff can not be set, and when its copy can not be isolated', async () => {
    const services = new MemoryServices();
    services.sqs.changeVisibility = async () => {
      throw new Error('no');
    };
    services.sqs.send = async () => [undefined];
    const { handler } = testConsumer(
      {
        process: ({ hopeless }: { hopeless: boolean }) => {
          throw hopeless ? permanent('HOPELESS') : transient('DOWN');
        },
      },
      services,
    );
    const response = await handler(
      sqsEvent(record('a', { hopeless: true }), record('b', { hopeless: false })),
      invocationContext(),
    );
    expect(ids(response)).toEqual(['a', 'b']);
  });

  it('returns what is not done before the time is up, as failed', async () => {
    const { handler, services } = testConsumer({
      process: ({ slow }: { slow: boolean }) => (slow ? new Promise(() => {}) : undefined),
    });
    const response = await handler(
      sqsEvent(record('a', { slow: true }), record('b', { slow: false })),
      invocationContext(200),
    );
    expect(ids(response)).toEqual(['a']);
    expect(services.lines.join('')).toContain('DEADLINE');
  });

  it('goes on, loudly, when the failure store is down', async () => {
    const services = new MemoryServices();
    services.failures.recordFailure = async () => {
      throw new Error('the table is gone');
    };
    const { handler } = testConsumer(
      {
        process: () => {
          throw permanent('HOPELESS');
        },
      },
      services,
    );
    expect(ids(await handler(sqsEvent(record('a')), invocationContext()))).toEqual([]);
    expect(services.isolated).toHaveLength(1);
    expect(services.lines.join('')).toContain('FAILURE_STORE_UNAVAILABLE');
  });

  it('does not answer for an impossible retry policy', async () => {
    const services = new MemoryServices({ maxReceiveCount: 3 });
    expect(() => testConsumer({ process: () => {}, retry: { attempts: 4 } }, services)).toThrow(
      /RETRY_POLICY_IMPOSSIBLE.*attempts is 4.*after 3 receives/,
    );
    expect(() => testConsumer({} as never)).toThrow('PROCESS_MISSING');
    expect(typeof consumer({ process: () => {} })).toBe('function');
  });
});

describe('FIFO', () => {
  const fifo = { sourceArn: 'arn:aws:sqs:eu-west-1:123456789012:test.fifo' };
  const message = (id: string, group: string, bad = false) =>
    record(id, { bad }, { eventSourceARN: fifo.sourceArn, attributes: { MessageGroupId: group } });
  const failing = (mode: 'strict' | 'message-group') => {
    const seen: string[] = [];
    const { handler } = testConsumer<{ bad: boolean }>(
      {
        fifo: mode,
        process: ({ bad }, { messageId }) => {
          seen.push(messageId);
          if (bad) throw transient('DOWN');
        },
      },
      new MemoryServices(fifo),
    );
    return { handler, seen };
  };

  it('reports all that follows a failure, and calls none of it', async () => {
    const { handler, seen } = failing('strict');
    const response = await handler(
      sqsEvent(message('a', '1'), message('b', '1', true), message('c', '2'), message('d', '1')),
      invocationContext(),
    );
    expect([ids(response), seen]).toEqual([
      ['b', 'c', 'd'],
      ['a', 'b'],
    ]);
  });

  it('goes on with other message groups when told so', async () => {
    const { handler, seen } = failing('message-group');
    const response = await handler(
      sqsEvent(message('a', '1', true), message('b', '2'), message('c', '1')),
      invocationContext(),
    );
    expect([ids(response), seen]).toEqual([
      ['a', 'c'],
      ['a', 'b'],
    ]);
  });

  it('carries nothing over to the next invocation', async () => {
    const { handler, seen } = failing('strict');
    await handler(sqsEvent(message('a', '1', true)), invocationContext());
    await handler(sqsEvent(message('b', '1')), invocationContext());
    expect(seen).toEqual(['a', 'b']);
  });
});
