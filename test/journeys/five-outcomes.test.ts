import { afterEach, expect, it } from 'vitest';
import { Journey } from './journey';

let journey: Journey;
afterEach(() => journey.stop());

const failureOf = (id: string) => journey.operator.failures.failure('orders', id);

it('transient_then_success', async () => {
  journey = await Journey.start();
  const id = journey.send({ sku: 'a', transientFailures: 2 });
  const begun = journey.clock.now();
  await journey.drain();
  expect(journey.depths()).toEqual([0, 0, 0]);
  expect([...journey.effects]).toEqual([[id, 1]]);
  // 5 s and 10 s of backoff, and not the visibility timeout of the queue.
  expect((journey.clock.now() - begun) / 1000).toBeGreaterThanOrEqual(15);
  expect((journey.clock.now() - begun) / 1000).toBeLessThan(30);
  expect(journey.engine.deniedCalls()).toEqual([]);
});

it('permanent_error', async () => {
  journey = await Journey.start();
  const id = journey.send({ sku: 'unknown' });
  const behind = journey.send({ sku: 'good' });
  await journey.drain();
  expect(journey.depths()).toEqual([0, 1, 0]);
  expect(await failureOf(id)).toMatchObject({
    attempts: 1,
    reasonForIsolation: 'permanent',
    failureClass: 'permanent',
    code: 'SKU_UNKNOWN',
    reason: 'sku [text] is unknown',
    status: 'dead-lettered',
  });
  expect([...journey.effects]).toEqual([[behind, 1]]);
});

it('attempt_limit', async () => {
  journey = await Journey.start({ attempts: 3 });
  const id = journey.send({ sku: 'a', transientFailures: 3 });
  await journey.drain();
  expect(journey.depths()).toEqual([0, 1, 0]);
  expect(await failureOf(id)).toMatchObject({
    attempts: 3,
    reasonForIsolation: 'attempt_limit',
    code: 'HTTP_503',
  });
  expect(journey.effects.size).toBe(0);
});

it('crash_between_send_and_delete', async () => {
  journey = await Journey.start();
  const id = journey.send({ sku: 'unknown' });
  await journey.drain();
  journey.unknownSkus.clear();
  const { sqs, lambda } = journey.engine.services;
  const handle = sqs.handle.bind(sqs);
  let crashes = 0;
  sqs.handle = async (exchange) => {
    const role = exchange.identity.roleArn ?? '';
    const deleting = String(exchange.request.headers['x-amz-target']).endsWith('.DeleteMessageBatch');
    if (deleting && role.includes('Move') && crashes++ === 0) {
      const mover = lambda.all().find(({ config }) => config.roleArn === role);
      // The copy is under way; the mover dies before it can delete the original.
      mover?.crash();
      exchange.response.destroy();
      return;
    }
    return handle(exchange);
  };
  const { run } = await journey.redrive();
  expect(crashes).toBeGreaterThan(1);
  expect(run).toMatchObject({ state: 'completed', counts: { reconciled: 1 } });
  expect(JSON.parse(run?.report ?? '{}')).toMatchObject({ selected: 1, succeeded: 1, holds: true });
  expect([...journey.effects]).toEqual([[id, 1]]);
  expect(journey.depths()).toEqual([0, 0, 0]);
});

it('corrected_redrive', async () => {
  journey = await Journey.start();
  const id = journey.send({ sku: 'unknown' });
  await journey.drain();
  journey.unknownSkus.clear();
  const first = await journey.redrive();
  expect(first.begun.kind).toBe('started');
  expect(first.run).toMatchObject({ state: 'completed', outcomes: { succeeded: 1, returned: 0 } });
  const second = await journey.redrive();
  expect(second.begun.kind).toBe('nothing-to-redrive');
  expect(journey.depths()).toEqual([0, 0, 0]);
  expect([...journey.effects]).toEqual([[id, 1]]);
  expect(await failureOf(id)).toMatchObject({ status: 'succeeded' });
  expect(journey.engine.deniedCalls()).toEqual([]);
});
