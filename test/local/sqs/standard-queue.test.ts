import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, TestSqs } from './sqs-server';

let sqs: TestSqs;
beforeEach(async () => {
  sqs = await TestSqs.start();
});
afterEach(() => sqs.stop());

describe('visibility', () => {
  it('hides a received message for the queue timeout, then shows it with its count', async () => {
    const url = await sqs.createQueue('q', { VisibilityTimeout: '40' });
    await sqs.send(url, 'hello');
    expect(await sqs.receive(url)).toHaveLength(1);
    expect(await sqs.counts(url)).toEqual([0, 1, 0]);
    await sqs.clock.advance(39_999);
    expect(await sqs.receive(url)).toHaveLength(0);
    await sqs.clock.advance(1);
    const [again] = await sqs.receive(url);
    expect(again?.Attributes?.ApproximateReceiveCount).toBe('2');
  });

  it('counts the twelve hours from the receive', async () => {
    const url = await sqs.createQueue('q', { VisibilityTimeout: '120' });
    await sqs.send(url, 'hello');
    const [message] = await sqs.receive(url);
    await sqs.clock.advance(60_000);
    const change = (VisibilityTimeout: number) =>
      sqs.client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: url,
          ReceiptHandle: message?.ReceiptHandle,
          VisibilityTimeout,
        }),
      );
    await expect(change(43_141)).rejects.toThrow('beyond the limit [43200 seconds]');
    await change(43_140);
    await sqs.clock.advance(43_139_000);
    expect(await sqs.counts(url)).toEqual([0, 1, 0]);
    await sqs.clock.advance(1_000);
    expect(await sqs.counts(url)).toEqual([1, 0, 0]);
  });

  it('refuses to change a message that is not in flight', async () => {
    const url = await sqs.createQueue('q');
    await sqs.send(url, 'hello');
    const [message] = await sqs.receive(url, { VisibilityTimeout: 1 });
    await sqs.clock.advance(1_000);
    await expect(
      sqs.client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: url,
          ReceiptHandle: message?.ReceiptHandle,
          VisibilityTimeout: 5,
        }),
      ),
    ).rejects.toMatchObject({ name: 'MessageNotInflight' });
  });

  it('does not delete with the handle of an earlier receive', async () => {
    const url = await sqs.createQueue('q');
    await sqs.send(url, 'hello');
    const [first] = await sqs.receive(url, { VisibilityTimeout: 0 });
    const [second] = await sqs.receive(url);
    await sqs.client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: first?.ReceiptHandle }));
    expect(await sqs.counts(url)).toEqual([0, 1, 0]);
    await sqs.client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: second?.ReceiptHandle }));
    expect(await sqs.counts(url)).toEqual([0, 0, 0]);
  });

  it('names a handle that is none', async () => {
    const url = await sqs.createQueue('q');
    await expect(
      sqs.client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: 'nonsense' })),
    ).rejects.toMatchObject({ name: 'ReceiptHandleIsInvalid' });
  });
});

describe('delay and long polling', () => {
  it('delays by message over the delay of the queue', async () => {
    const url = await sqs.createQueue('q', { DelaySeconds: '100' });
    await sqs.send(url, 'slow');
    await sqs.send(url, 'quick', { DelaySeconds: 10 });
    expect(await sqs.counts(url)).toEqual([0, 0, 2]);
    await sqs.clock.advance(10_000);
    expect((await sqs.receive(url)).map(({ Body }) => Body)).toEqual(['quick']);
    await sqs.clock.advance(90_000);
    expect((await sqs.receive(url)).map(({ Body }) => Body)).toContain('slow');
  });

  it('wakes a long poll as soon as a message comes', async () => {
    const url = await sqs.createQueue('q');
    const before = sqs.clock.now();
    const poll = sqs.receive(url, { WaitTimeSeconds: 20 });
    await sqs.clock.advance(3_000);
    await sqs.send(url, 'hello');
    expect(await poll).toHaveLength(1);
    expect(sqs.clock.now() - before).toBe(3_000);
  });

  it('ends a long poll empty, without a Messages field', async () => {
    const url = await sqs.createQueue('q');
    const poll = sqs.receive(url, { WaitTimeSeconds: 5 });
    let ended = false;
    void poll.then(() => {
      ended = true;
    });
    await sqs.clock.advance(4_999);
    expect(ended).toBe(false);
    await sqs.clock.advance(1);
    expect(await poll).toEqual([]);
  });

  it('does not hand a message to a poller that went away', async () => {
    const url = await sqs.createQueue('q');
    const leaving = new AbortController();
    const client = sqs.clientAs('leaver');
    const { ReceiveMessageCommand } = await import('@aws-sdk/client-sqs');
    const poll = client.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 20 }), {
      abortSignal: leaving.signal,
    });
    await sqs.clock.advance(1_000);
    leaving.abort();
    await expect(poll).rejects.toThrow();
    await sqs.clock.settle();
    await sqs.send(url, 'hello');
    expect(await sqs.counts(url)).toEqual([1, 0, 0]);
    client.destroy();
  });
});

describe('retention', () => {
  it('drops a message after the retention period, in flight or not', async () => {
    const url = await sqs.createQueue('q', { MessageRetentionPeriod: '1209600' });
    await sqs.send(url, 'old');
    await sqs.clock.advance(13 * DAY + 23 * HOUR);
    await sqs.send(url, 'young');
    await sqs.receive(url, { MaxNumberOfMessages: 1, VisibilityTimeout: 43_200 });
    await sqs.clock.advance(HOUR);
    expect(await sqs.counts(url)).toEqual([1, 0, 0]);
    expect((await sqs.receive(url)).map(({ Body }) => Body)).toEqual(['young']);
    expect(sqs.events.filter(({ type }) => type === 'sqs.expired')).toHaveLength(1);
  });
});

describe('content', () => {
  it('keeps body, attributes of all types and the group id as they were sent', async () => {
    const url = await sqs.createQueue('q');
    const attributes = {
      Text: { DataType: 'String', StringValue: 'Grüße 🚚' },
      Count: { DataType: 'Number.int', StringValue: '38' },
      Bytes: { DataType: 'Binary.gzip', BinaryValue: new Uint8Array([0, 255, 16]) },
    };
    const body = 'a\r\n\t🚚 "quoted"';
    await sqs.send(url, body, {
      MessageAttributes: attributes,
      MessageGroupId: 'tenant-7',
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-5759e988' } },
    });
    const [message] = await sqs.receive(url);
    expect(message?.Body).toBe(body);
    expect(message?.MessageAttributes).toEqual(attributes);
    expect(message?.Attributes).toMatchObject({
      MessageGroupId: 'tenant-7',
      AWSTraceHeader: 'Root=1-5759e988',
    });
  });

  it.each([
    ['\u0001', 'InvalidMessageContents'],
    ['\uFFFE', 'InvalidMessageContents'],
    ['\uD800', 'InvalidMessageContents'],
  ])('refuses the character %j', async (body, name) => {
    const url = await sqs.createQueue('q');
    await expect(sqs.send(url, body)).rejects.toMatchObject({ name });
  });

  it('counts bytes, and attributes as name, type and value, up to 1 MiB', async () => {
    const url = await sqs.createQueue('q');
    const MessageAttributes = { name: { DataType: 'String', StringValue: 'value' } };
    const room = 1_048_576 - 'nameStringvalue'.length;
    await sqs.send(url, 'x'.repeat(room), { MessageAttributes });
    await expect(sqs.send(url, 'x'.repeat(room + 1), { MessageAttributes })).rejects.toThrow(
      'shorter than 1048576',
    );
    await expect(sqs.send(url, 'ü'.repeat(524_289))).rejects.toThrow('shorter than 1048576');
  });

  it('refuses an eleventh attribute, empty values, unknown types and reserved names', async () => {
    const url = await sqs.createQueue('q');
    const text = { DataType: 'String', StringValue: 'v' };
    const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, text]));
    await sqs.send(url, 'x', { MessageAttributes: ten });
    const refused = (MessageAttributes: object) =>
      expect(sqs.send(url, 'x', { MessageAttributes })).rejects.toThrow();
    await refused({ ...ten, eleventh: text });
    await refused({ a: { DataType: 'String', StringValue: '' } });
    await refused({ a: { DataType: 'Float', StringValue: '1' } });
    await refused({ a: { DataType: 'Number', StringValue: 'one' } });
    await refused({ 'AWS.x': text });
    await refused({ 'a..b': text });
    expect(await sqs.counts(url)).toEqual([1, 0, 0]);
  });

  it('answers only the attributes that were asked for, with their own checksum', async () => {
    const url = await sqs.createQueue('q');
    const text = { DataType: 'String', StringValue: 'v' };
    await sqs.send(url, 'x', { MessageAttributes: { 'app.one': text, 'app.two': text, other: text } });
    const [message] = await sqs.receive(url, {
      MessageAttributeNames: ['app.*'],
      MessageSystemAttributeNames: ['SentTimestamp'],
    });
    expect(Object.keys(message?.MessageAttributes ?? {})).toEqual(['app.one', 'app.two']);
    expect(message?.Attributes).toEqual({ SentTimestamp: String(sqs.clock.now()) });
    expect(message?.MD5OfMessageAttributes).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('batches', () => {
  it('takes the good entries and names the bad ones', async () => {
    const url = await sqs.createQueue('q');
    const { Successful, Failed } = await sqs.client.send(
      new SendMessageBatchCommand({
        QueueUrl: url,
        Entries: [
          { Id: 'good', MessageBody: 'x' },
          { Id: 'bad', MessageBody: '\u0002' },
        ],
      }),
    );
    expect(Successful?.map(({ Id }) => Id)).toEqual(['good']);
    expect(Failed).toMatchObject([{ Id: 'bad', SenderFault: true, Code: 'InvalidMessageContents' }]);
    expect(await sqs.counts(url)).toEqual([1, 0, 0]);
  });

  it.each([
    [[], 'EmptyBatchRequest'],
    [Array.from({ length: 11 }, (_, index) => `i${index}`), 'TooManyEntriesInBatchRequest'],
    [['same', 'same'], 'BatchEntryIdsNotDistinct'],
    [['not allowed'], 'InvalidBatchEntryId'],
  ])('refuses the ids %j', async (ids, name) => {
    const url = await sqs.createQueue('q');
    const Entries = ids.map((Id) => ({ Id, MessageBody: 'x' }));
    await expect(
      sqs.client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })),
    ).rejects.toMatchObject({ name });
    expect(await sqs.counts(url)).toEqual([0, 0, 0]);
  });

  it('refuses ten legal messages that are too long together', async () => {
    const url = await sqs.createQueue('q');
    const Entries = Array.from({ length: 10 }, (_, index) => ({
      Id: `i${index}`,
      MessageBody: 'x'.repeat(110_000),
    }));
    await expect(
      sqs.client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })),
    ).rejects.toMatchObject({
      name: 'BatchRequestTooLong',
    });
  });

  it('deletes again without complaint', async () => {
    const url = await sqs.createQueue('q');
    await sqs.send(url, 'x');
    const [message] = await sqs.receive(url);
    const deletion = new DeleteMessageBatchCommand({
      QueueUrl: url,
      Entries: [{ Id: '0', ReceiptHandle: message?.ReceiptHandle }],
    });
    await sqs.client.send(deletion);
    expect((await sqs.client.send(deletion)).Successful).toHaveLength(1);
  });
});

describe('queues', () => {
  it('answers the same queue for the same attributes and refuses others', async () => {
    const url = await sqs.createQueue('q', { VisibilityTimeout: '50' });
    expect(await sqs.createQueue('q', { VisibilityTimeout: '50' })).toBe(url);
    await expect(sqs.createQueue('q', { VisibilityTimeout: '51' })).rejects.toMatchObject({
      name: 'QueueNameExists',
    });
  });

  it('says that a queue does not exist, and waits a minute after a deletion', async () => {
    const url = await sqs.createQueue('q');
    await sqs.client.send(new DeleteQueueCommand({ QueueUrl: url }));
    await expect(sqs.send(url, 'x')).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    await expect(sqs.createQueue('q')).rejects.toMatchObject({ name: 'QueueDeletedRecently' });
    await sqs.clock.advance(60_000);
    await sqs.createQueue('q');
  });

  it('purges once a minute', async () => {
    const url = await sqs.createQueue('q');
    await sqs.send(url, 'x');
    await sqs.client.send(new PurgeQueueCommand({ QueueUrl: url }));
    expect(await sqs.counts(url)).toEqual([0, 0, 0]);
    await expect(sqs.client.send(new PurgeQueueCommand({ QueueUrl: url }))).rejects.toMatchObject({
      name: 'PurgeQueueInProgress',
    });
  });

  it.each([
    { VisibilityTimeout: '43201' },
    { MessageRetentionPeriod: '1209601' },
    { DelaySeconds: '901' },
    { MaximumMessageSize: '1048577' },
    { ReceiveMessageWaitTimeSeconds: '21' },
    {
      RedrivePolicy: '{"maxReceiveCount":1001,"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:d"}',
    },
    {
      RedrivePolicy: '{"maxReceiveCount":3,"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:gone"}',
    },
    { ContentBasedDeduplication: 'true' },
  ])('refuses the attributes %j', async (attributes) => {
    await expect(sqs.createQueue('q', attributes)).rejects.toThrow();
  });

  it('stops giving out at 120,000 in flight', async () => {
    const url = await sqs.createQueue('q');
    const queue = sqs.service.queues.find('q');
    for (let index = 0; index < 120_001; index++) queue?.send({ body: 'x', senderId: 's' });
    expect(queue?.receive(120_001, 30)).toHaveLength(120_000);
    await expect(sqs.receive(url)).rejects.toMatchObject({ name: 'OverLimit' });
  });

  it('does what the caller may do and no more', async () => {
    const limited = await TestSqs.start({
      authorize: ({ action, resource }) =>
        action === 'sqs:SendMessage' && resource.endsWith(':q') ? `no ${action} on ${resource}` : undefined,
    });
    const url = await limited.createQueue('q');
    await expect(limited.send(url, 'x')).rejects.toThrow(
      'no sqs:SendMessage on arn:aws:sqs:eu-west-1:123456789012:q',
    );
    await expect(
      limited.client.send(
        new SendMessageBatchCommand({ QueueUrl: url, Entries: [{ Id: '0', MessageBody: 'x' }] }),
      ),
    ).rejects.toMatchObject({ name: expect.stringMatching(/^AccessDenied/) });
    const { Attributes } = await limited.client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
    );
    expect(Attributes).toEqual({ QueueArn: 'arn:aws:sqs:eu-west-1:123456789012:q' });
    await limited.stop();
  });

  it('refuses a deduplication id on a standard queue', async () => {
    const QueueUrl = await sqs.createQueue('q');
    await expect(
      sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageDeduplicationId: 'd' })),
    ).rejects.toThrow('MessageDeduplicationId');
  });
});
