import { createHash } from 'node:crypto';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { type Check, equal, holds, refused, sleep } from './check';
import { Calls } from './sqs-calls';

const API = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference';
const GUIDE = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide';
const SEND = `${API}/API_SendMessage.html`;
const RECEIVE = `${API}/API_ReceiveMessage.html`;
const BATCH = `${API}/API_SendMessageBatch.html`;
const METADATA = `${GUIDE}/sqs-message-metadata.html`;
const VISIBILITY = `${GUIDE}/sqs-visibility-timeout.html`;
const text = (StringValue: string) => ({ DataType: 'String', StringValue });

function check(name: string, source: string, run: (calls: Calls) => Promise<void>): Check {
  return { name, source, run: (bench) => run(new Calls(bench)) };
}

/** A send to a new queue is refused. */
function refusedSend(name: string, body: string, more: object, ...codes: string[]): Check {
  return check(name, SEND, async (calls) => {
    const url = await calls.queue();
    await refused(calls.send(url, body, more), ...codes);
    equal(await calls.depth(url), [0, 0, 0], 'depth');
  });
}

const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, text('v')]));

export const SQS_MESSAGE_CHECKS: readonly Check[] = [
  check('a message comes back as it was sent', SEND, async (calls) => {
    const url = await calls.queue();
    const body = ' {"a": "Grüße 🚚"}\r\n\t';
    const { MD5OfMessageBody, MessageId } = await calls.send(url, body);
    equal(MD5OfMessageBody, createHash('md5').update(body).digest('hex'), 'checksum');
    const [message] = await calls.receive(url);
    equal([message?.Body, message?.MessageId], [body, MessageId]);
  }),
  check('attributes of all three types come back with their suffixes', METADATA, async (calls) => {
    const url = await calls.queue();
    const MessageAttributes = {
      t: text('v'),
      n: { DataType: 'Number.int', StringValue: '38' },
      b: { DataType: 'Binary.gzip', BinaryValue: new Uint8Array([0, 255, 16]) },
    };
    await calls.send(url, 'x', { MessageAttributes });
    const [message] = await calls.receive(url);
    equal(message?.MessageAttributes?.['n'], MessageAttributes.n);
    equal([...(message?.MessageAttributes?.['b']?.BinaryValue ?? [])], [0, 255, 16]);
    equal(message?.MessageAttributes?.['b']?.DataType, 'Binary.gzip');
  }),
  check('system attributes tell sender, times and receives', RECEIVE, async (calls) => {
    const url = await calls.queue();
    await calls.send(url, 'x');
    const [message] = await calls.receive(url);
    const { SenderId, SentTimestamp, ApproximateReceiveCount, ApproximateFirstReceiveTimestamp } =
      message?.Attributes ?? {};
    equal(ApproximateReceiveCount, '1');
    holds(
      /^\d{13}$/.test(SentTimestamp ?? '') && /^\d{13}$/.test(ApproximateFirstReceiveTimestamp ?? ''),
      'times in milliseconds',
    );
    holds((SenderId ?? '') !== '', 'a sender');
  }),
  check('only the attributes that were asked for are given', RECEIVE, async (calls) => {
    const url = await calls.queue();
    await calls.send(url, 'x', { MessageAttributes: { 'app.a': text('v'), b: text('v') } });
    const [message] = await calls.receive(url, {
      MessageAttributeNames: ['app.*'],
      MessageSystemAttributeNames: ['SentTimestamp'],
    });
    equal(Object.keys(message?.MessageAttributes ?? {}), ['app.a']);
    equal(Object.keys(message?.Attributes ?? {}), ['SentTimestamp']);
  }),
  check('a trace header travels as a system attribute', SEND, async (calls) => {
    const url = await calls.queue();
    await calls.send(url, 'x', {
      MessageSystemAttributes: { AWSTraceHeader: text('Root=1-5759e988-bd862e3fe1be46a994272793') },
    });
    const [message] = await calls.receive(url);
    equal(message?.Attributes?.['AWSTraceHeader'], 'Root=1-5759e988-bd862e3fe1be46a994272793');
  }),
  check('a message group id is kept on a standard queue', SEND, async (calls) => {
    const url = await calls.queue();
    await calls.send(url, 'x', { MessageGroupId: 'tenant-7' });
    equal((await calls.receive(url))[0]?.Attributes?.['MessageGroupId'], 'tenant-7');
  }),
  check('an empty receive has no Messages', RECEIVE, async (calls) => {
    const url = await calls.queue();
    const { Messages } = await calls.bench.sqs.send(new ReceiveMessageCommand({ QueueUrl: url }));
    equal(Messages, undefined);
  }),
  check('up to 1 MiB is taken, attributes counted', `${GUIDE}/quotas-messages.html`, async (calls) => {
    const url = await calls.queue();
    const MessageAttributes = { name: text('value') };
    const room = 1_048_576 - 'nameStringvalue'.length;
    await calls.send(url, 'x'.repeat(room), { MessageAttributes });
    await refused(calls.send(url, 'x'.repeat(room + 1), { MessageAttributes }), 'InvalidParameterValue');
  }),
  check('ten attributes are taken, eleven refused', METADATA, async (calls) => {
    const url = await calls.queue();
    await calls.send(url, 'x', { MessageAttributes: ten });
    await refused(
      calls.send(url, 'x', { MessageAttributes: { ...ten, k: text('v') } }),
      'InvalidParameterValue',
    );
  }),
  refusedSend('an empty body is refused', '', {}, 'MissingParameter', 'InvalidParameterValue'),
  refusedSend('U+0001 is refused', 'a\u0001', {}, 'InvalidMessageContents'),
  refusedSend('U+FFFE is refused', 'a\uFFFE', {}, 'InvalidMessageContents'),
  refusedSend(
    'an empty attribute value is refused',
    'x',
    { MessageAttributes: { a: text('') } },
    'InvalidParameterValue',
  ),
  refusedSend(
    'an unknown attribute type is refused',
    'x',
    { MessageAttributes: { a: { DataType: 'Float', StringValue: '1' } } },
    'InvalidParameterValue',
  ),
  refusedSend(
    'an attribute name of AWS is refused',
    'x',
    { MessageAttributes: { 'AWS.a': text('v') } },
    'InvalidParameterValue',
  ),
  refusedSend(
    'an attribute name with two periods in a row is refused',
    'x',
    { MessageAttributes: { 'a..b': text('v') } },
    'InvalidParameterValue',
  ),
  refusedSend('a delay above 900 s is refused', 'x', { DelaySeconds: 901 }, 'InvalidParameterValue'),
  refusedSend(
    'a deduplication id on a standard queue is refused',
    'x',
    { MessageDeduplicationId: 'd' },
    'InvalidParameterValue',
  ),
  check('a batch takes the good entries and names the bad ones', BATCH, async (calls) => {
    const url = await calls.queue();
    const { Successful, Failed } = await calls.sendBatch(url, ['good', 'bad\u0002']);
    equal(
      Successful?.map(({ Id }) => Id),
      ['i0'],
    );
    equal(
      Failed?.map(({ Id, SenderFault }) => [Id, SenderFault]),
      [['i1', true]],
    );
  }),
  check('an empty batch is refused', BATCH, async (calls) =>
    refused(calls.sendBatch(await calls.queue(), []), 'EmptyBatchRequest'),
  ),
  check('eleven entries are refused', BATCH, async (calls) =>
    refused(calls.sendBatch(await calls.queue(), Array(11).fill('x')), 'TooManyEntriesInBatchRequest'),
  ),
  check('the same entry id twice is refused', BATCH, async (calls) =>
    refused(calls.sendBatch(await calls.queue(), ['x', 'y'], ['a', 'a']), 'BatchEntryIdsNotDistinct'),
  ),
  check('an entry id with a space is refused', BATCH, async (calls) =>
    refused(calls.sendBatch(await calls.queue(), ['x'], ['a b']), 'InvalidBatchEntryId'),
  ),
  check('ten legal messages that are too long together are refused', BATCH, async (calls) =>
    refused(calls.sendBatch(await calls.queue(), Array(10).fill('x'.repeat(110_000))), 'BatchRequestTooLong'),
  ),
  check('a received message is hidden, and comes back', VISIBILITY, async (calls) => {
    const url = await calls.queue({ VisibilityTimeout: '1' });
    await calls.send(url, 'x');
    equal((await calls.receive(url)).length, 1);
    equal(await calls.depth(url), [0, 1, 0], 'depth');
    equal((await calls.receive(url)).length, 0);
    await sleep(1_200);
    equal((await calls.receive(url))[0]?.Attributes?.['ApproximateReceiveCount'], '2');
  }),
  check('visibility 0 shows a message at once', VISIBILITY, async (calls) => {
    const url = await calls.queue();
    await calls.send(url, 'x');
    const [message] = await calls.receive(url);
    await calls.hide(url, message, 0);
    equal((await calls.receive(url)).length, 1);
  }),
  check(
    'visibility above twelve hours is refused',
    `${API}/API_ChangeMessageVisibility.html`,
    async (calls) => {
      const url = await calls.queue();
      await calls.send(url, 'x');
      const [message] = await calls.receive(url);
      await refused(calls.hide(url, message, 43_201), 'InvalidParameterValue');
    },
  ),
  check('twelve hours count from the receive', VISIBILITY, async (calls) => {
    const url = await calls.queue();
    await calls.send(url, 'x');
    const [message] = await calls.receive(url);
    await sleep(1_100);
    await refused(calls.hide(url, message, 43_200), 'InvalidParameterValue');
    await calls.hide(url, message, 43_190);
  }),
  check(
    'a message that is not in flight can not be hidden',
    `${API}/API_ChangeMessageVisibility.html`,
    async (calls) => {
      const url = await calls.queue();
      await calls.send(url, 'x');
      const [message] = await calls.receive(url, { VisibilityTimeout: 1 });
      await sleep(1_200);
      await refused(calls.hide(url, message, 5), 'MessageNotInflight');
    },
  ),
  check(
    'a deleted message is gone, and deleting again is no error',
    `${API}/API_DeleteMessage.html`,
    async (calls) => {
      const url = await calls.queue();
      await calls.send(url, 'x');
      const [message] = await calls.receive(url, { VisibilityTimeout: 1 });
      await calls.remove(url, message);
      await calls.remove(url, message);
      await sleep(1_200);
      equal(await calls.depth(url), [0, 0, 0], 'depth');
    },
  ),
  check('a handle that is none is refused', `${API}/API_DeleteMessage.html`, async (calls) => {
    const url = await calls.queue();
    await refused(calls.remove(url, { ReceiptHandle: 'nonsense' }), 'ReceiptHandleIsInvalid');
  }),
  check('a delay of the queue holds for messages without one', SEND, async (calls) => {
    const url = await calls.queue({ DelaySeconds: '2' });
    await calls.send(url, 'slow');
    await calls.send(url, 'quick', { DelaySeconds: 0 });
    equal(
      (await calls.receive(url)).map(({ Body }) => Body),
      ['quick'],
    );
    equal((await calls.depth(url))[2], 1, 'delayed');
    await sleep(2_200);
    equal(
      (await calls.receive(url)).map(({ Body }) => Body),
      ['slow'],
    );
  }),
  check(
    'a long poll ends as soon as a message comes',
    `${GUIDE}/sqs-short-and-long-polling.html`,
    async (calls) => {
      const url = await calls.queue();
      const begun = Date.now();
      const poll = calls.receive(url, { WaitTimeSeconds: 10 });
      await sleep(500);
      await calls.send(url, 'x');
      equal((await poll).length, 1);
      holds(Date.now() - begun < 3_000, 'the poll ends early');
    },
  ),
  check('an empty long poll waits its time', `${GUIDE}/sqs-short-and-long-polling.html`, async (calls) => {
    const url = await calls.queue({ ReceiveMessageWaitTimeSeconds: '1' });
    const begun = Date.now();
    equal((await calls.receive(url)).length, 0);
    holds(Date.now() - begun >= 900, 'the poll waits for a second');
  }),
  check('eleven messages at once can not be asked for', RECEIVE, async (calls) =>
    refused(calls.receive(await calls.queue(), { MaxNumberOfMessages: 11 }), 'InvalidParameterValue'),
  ),
  check('a wait above 20 s is refused', RECEIVE, async (calls) =>
    refused(calls.receive(await calls.queue(), { WaitTimeSeconds: 21 }), 'InvalidParameterValue'),
  ),
];
