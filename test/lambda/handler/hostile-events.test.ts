import { transient } from 'cdk-redrive/handler';
import { invocationContext, sqsRecord, testConsumer } from 'cdk-redrive/handler/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const anything = fc.anything({ maxDepth: 3, withBigInt: true, withNullPrototype: true });
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constant('__proto__'),
  fc.constant('{"__proto__":{"a":1}}'),
  fc.json({ maxDepth: 5 }),
);
const record = fc
  .record(
    {
      messageId: fc.oneof(fc.uuid(), fc.string({ minLength: 1 }), anything),
      receiptHandle: fc.oneof(fc.string(), anything),
      body: fc.oneof(text, anything),
      attributes: fc.oneof(fc.dictionary(fc.string(), fc.string()), anything),
      messageAttributes: fc.oneof(
        fc.dictionary(fc.string(), fc.record({ dataType: fc.string(), stringValue: fc.string() })),
        anything,
      ),
      eventSourceARN: fc.oneof(fc.constant('arn:aws:sqs:eu-west-1:123456789012:test'), fc.string(), anything),
    },
    { requiredKeys: [] },
  )
  .map((given) => given as object);

it('no hostile event makes a false acknowledgement', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 5 }), async (records) => {
      const { handler, services } = testConsumer({
        raw: true,
        process: () => {
          throw transient('DOWN');
        },
      });
      const valid = sqsRecord('good', { messageId: 'the-good-one' });
      const event = { Records: [...records, valid] };
      let listed: string[];
      try {
        listed = (await handler(event, invocationContext())).batchItemFailures.map(
          ({ itemIdentifier }) => itemIdentifier,
        );
      } catch {
        // The whole batch is tried again: nothing was acknowledged.
        return;
      }
      const given = event.Records.map((one) => (one as { messageId: string }).messageId);
      const safe = services.isolated.length;
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed.every((id) => id !== '' && given.includes(id))).toBe(true);
      expect(listed.length + safe).toBeGreaterThanOrEqual(new Set(given).size);
    }),
    { numRuns: 1_500 },
  );
});
