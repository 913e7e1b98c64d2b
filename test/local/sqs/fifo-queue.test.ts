import { DeleteMessageCommand, type Message } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestSqs } from './sqs-server';

let sqs: TestSqs;
let url: string;
beforeEach(async () => {
  sqs = await TestSqs.start();
  url = await sqs.createQueue('q.fifo', { FifoQueue: 'true' });
});
afterEach(() => sqs.stop());

const send = (body: string, group: string, id = body): Promise<string> =>
  sqs.send(url, body, { MessageGroupId: group, MessageDeduplicationId: id });
const bodies = (messages: Message[]): (string | undefined)[] => messages.map(({ Body }) => Body);
const remove = (message: Message | undefined) =>
  sqs.client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }));

describe('order', () => {
  it('gives out a message group in order and locks it until all are done', async () => {
    for (const body of ['a1', 'a2', 'a3']) await send(body, 'a');
    await send('b1', 'b');
    const first = await sqs.receive(url, { MaxNumberOfMessages: 2 });
    expect(bodies(first)).toEqual(['a1', 'a2']);
    expect(bodies(await sqs.receive(url))).toEqual(['b1']);
    await remove(first[0]);
    expect(await sqs.receive(url)).toEqual([]);
    await remove(first[1]);
    expect(bodies(await sqs.receive(url))).toEqual(['a3']);
  });

  it('takes several message groups into one batch of at most ten', async () => {
    for (let index = 0; index < 8; index++) await send(`a${index}`, 'a');
    for (let index = 0; index < 8; index++) await send(`b${index}`, 'b');
    const batch = await sqs.receive(url);
    expect(bodies(batch)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b0', 'b1']);
  });

  it('gives a message that comes back before its followers', async () => {
    await send('a1', 'a');
    await send('a2', 'a');
    await sqs.receive(url, { MaxNumberOfMessages: 1, VisibilityTimeout: 5 });
    expect(await sqs.receive(url)).toEqual([]);
    await sqs.clock.advance(5_000);
    expect(bodies(await sqs.receive(url))).toEqual(['a1', 'a2']);
  });

  it('refuses a handle that has expired', async () => {
    await send('a1', 'a');
    const [message] = await sqs.receive(url, { VisibilityTimeout: 1 });
    await sqs.clock.advance(1_000);
    await expect(remove(message)).rejects.toThrow('has expired');
  });

  it('answers a repeated receive attempt with the same messages', async () => {
    await send('a1', 'a');
    const first = await sqs.receive(url, { ReceiveRequestAttemptId: 'try' });
    const second = await sqs.receive(url, { ReceiveRequestAttemptId: 'try' });
    expect(second.map(({ ReceiptHandle }) => ReceiptHandle)).toEqual(
      first.map(({ ReceiptHandle }) => ReceiptHandle),
    );
    expect(first).toHaveLength(1);
  });
});

describe('deduplication', () => {
  it('swallows a repeat within five minutes, consumed or not, and takes it after', async () => {
    const id = await send('x', 'a', 'same');
    const [message] = await sqs.receive(url);
    await remove(message);
    await sqs.clock.advance(299_999);
    expect(await send('y', 'a', 'same')).toBe(id);
    expect(await sqs.counts(url)).toEqual([0, 0, 0]);
    await sqs.clock.advance(1);
    expect(await send('y', 'a', 'same')).not.toBe(id);
    expect(await sqs.counts(url)).toEqual([1, 0, 0]);
  });

  it('takes the body as id when the queue says so', async () => {
    url = await sqs.createQueue('c.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    await sqs.send(url, 'same', { MessageGroupId: 'a' });
    await sqs.send(url, 'same', { MessageGroupId: 'b' });
    await sqs.send(url, 'other', { MessageGroupId: 'a' });
    expect(await sqs.counts(url)).toEqual([2, 0, 0]);
  });

  it('asks for a message group, and an id unless the queue makes one', async () => {
    await expect(sqs.send(url, 'x', { MessageDeduplicationId: 'd' })).rejects.toThrow('MessageGroupId');
    await expect(sqs.send(url, 'x', { MessageGroupId: 'g' })).rejects.toThrow('ContentBasedDeduplication');
    await expect(
      sqs.send(url, 'x', { MessageGroupId: 'g', MessageDeduplicationId: 'd', DelaySeconds: 5 }),
    ).rejects.toThrow('DelaySeconds');
  });

  it('carries the message id as deduplication id into the dead-letter queue', async () => {
    const { source, dlq } = await sqs.pair(true, 1);
    const id = await sqs.send(source, 'poison', { MessageGroupId: 'g', MessageDeduplicationId: 'd' });
    await sqs.receive(source, { VisibilityTimeout: 0 });
    await sqs.receive(source);
    const [dead] = await sqs.receive(dlq);
    expect(dead?.Attributes).toMatchObject({ MessageDeduplicationId: id, MessageGroupId: 'g' });
  });
});
