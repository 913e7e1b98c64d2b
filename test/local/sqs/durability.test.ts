import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DeleteMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestSqs } from './sqs-server';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'redrive-sqs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('finds queues and messages again, without what was deleted', async () => {
  const before = await TestSqs.start({ dataFolder: folder });
  const { source, dlq } = await before.pair(false, 3);
  await before.send(source, 'kept', {
    MessageAttributes: { bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255]) } },
  });
  await before.send(source, 'done');
  await before.send(dlq, 'dead');
  const received = await before.receive(source, { VisibilityTimeout: 30 });
  const done = received.find(({ Body }) => Body === 'done');
  await before.client.send(
    new DeleteMessageCommand({ QueueUrl: source, ReceiptHandle: done?.ReceiptHandle }),
  );
  // Not stopped in an orderly way: a second engine reads what is on disk.
  const after = await TestSqs.start({ dataFolder: folder });
  const url = (old: string) => after.service.queues.urlOf(after.service.queues.byUrl(old));
  expect(await after.counts(url(source))).toEqual([0, 1, 0]);
  expect(await after.counts(url(dlq))).toEqual([1, 0, 0]);
  await after.clock.advance(30_000);
  const [kept] = await after.receive(url(source));
  expect(kept).toMatchObject({ Body: 'kept', Attributes: { ApproximateReceiveCount: '2' } });
  expect(kept?.MessageAttributes?.['bytes']?.BinaryValue).toEqual(new Uint8Array([0, 255]));
  await before.stop();
  await after.stop();
});
