import {
  CancelMessageMoveTaskCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  ListQueuesCommand,
  ListQueueTagsCommand,
  PurgeQueueCommand,
  SetQueueAttributesCommand,
  StartMessageMoveTaskCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs';
import { type Check, equal, holds, refused, sleep } from './check';
import { Calls } from './sqs-calls';

const API = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference';
const GUIDE = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide';
const CREATE = `${API}/API_CreateQueue.html`;
const DLQ = `${GUIDE}/sqs-dead-letter-queues.html`;
const MOVE = `${API}/API_StartMessageMoveTask.html`;
const FIFO = `${GUIDE}/FIFO-queues-understanding-logic.html`;
const DEDUPLICATION = `${GUIDE}/using-messagededuplicationid-property.html`;
const fifoQueue = { FifoQueue: 'true' };
const inGroup = (group: string, id: string) => ({ MessageGroupId: group, MessageDeduplicationId: id });

function check(name: string, source: string, run: (calls: Calls) => Promise<void>): Check {
  return { name, source, run: (bench) => run(new Calls(bench)) };
}

function refusedQueue(name: string, attributes: Record<string, string>, ...codes: string[]): Check {
  return check(name, CREATE, (calls) => refused(calls.queue(attributes), ...codes));
}

async function poison(calls: Calls, source: string, body: string, receives: number): Promise<string> {
  const { MessageId } = await calls.send(source, body);
  for (let receive = 0; receive < receives; receive++) {
    const [message] = await calls.receive(source);
    await calls.hide(source, message, 0);
  }
  await calls.receive(source);
  return MessageId ?? '';
}

const tasks = async (calls: Calls, SourceArn: string) =>
  (await calls.bench.sqs.send(new ListMessageMoveTasksCommand({ SourceArn }))).Results ?? [];

export const SQS_QUEUE_CHECKS: readonly Check[] = [
  check('the same queue is answered for the same attributes', CREATE, async (calls) => {
    const QueueName = calls.bench.name();
    const create = (VisibilityTimeout: string) =>
      calls.bench.sqs.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout } }));
    equal((await create('50')).QueueUrl, (await create('50')).QueueUrl);
    await refused(create('51'), 'QueueNameExists', 'QueueAlreadyExists');
  }),
  check('defaults are those of AWS', CREATE, async (calls) => {
    const all = await calls.attributes(await calls.queue());
    equal(
      [
        all['VisibilityTimeout'],
        all['MessageRetentionPeriod'],
        all['DelaySeconds'],
        all['ReceiveMessageWaitTimeSeconds'],
      ],
      ['30', '345600', '0', '0'],
    );
    equal(all['MaximumMessageSize'], '1048576', 'maximum message size');
  }),
  refusedQueue(
    'visibility above twelve hours is refused on a queue',
    { VisibilityTimeout: '43201' },
    'InvalidAttributeValue',
  ),
  refusedQueue(
    'retention above 14 days is refused',
    { MessageRetentionPeriod: '1209601' },
    'InvalidAttributeValue',
  ),
  refusedQueue(
    'retention below a minute is refused',
    { MessageRetentionPeriod: '59' },
    'InvalidAttributeValue',
  ),
  refusedQueue(
    'a message size above 1 MiB is refused',
    { MaximumMessageSize: '1048577' },
    'InvalidAttributeValue',
  ),
  refusedQueue('an unknown attribute is refused', { Colour: 'red' }, 'InvalidAttributeName'),
  check('a name with a space is refused', CREATE, (calls) =>
    refused(calls.bench.sqs.send(new CreateQueueCommand({ QueueName: 'a b' })), 'InvalidParameterValue'),
  ),
  check('a FIFO queue needs .fifo at the end of its name', CREATE, (calls) =>
    refused(
      calls.bench.sqs.send(new CreateQueueCommand({ QueueName: calls.bench.name(), Attributes: fifoQueue })),
      'InvalidParameterValue',
    ),
  ),
  check('a queue that does not exist is said so', `${API}/API_GetQueueUrl.html`, (calls) =>
    refused(
      calls.bench.sqs.send(new GetQueueUrlCommand({ QueueName: calls.bench.name() })),
      'QueueDoesNotExist',
      'NonExistentQueue',
    ),
  ),
  check('a deleted queue takes nothing', `${API}/API_DeleteQueue.html`, async (calls) => {
    const url = await calls.queue();
    await calls.bench.sqs.send(new DeleteQueueCommand({ QueueUrl: url }));
    await refused(calls.send(url, 'x'), 'QueueDoesNotExist', 'NonExistentQueue');
  }),
  check('queues are listed by prefix', `${API}/API_ListQueues.html`, async (calls) => {
    const url = await calls.queue();
    const { QueueUrls } = await calls.bench.sqs.send(
      new ListQueuesCommand({ QueueNamePrefix: url.split('/').at(-1) }),
    );
    equal(QueueUrls?.length, 1);
  }),
  check('purging empties a queue, once a minute', `${API}/API_PurgeQueue.html`, async (calls) => {
    const url = await calls.queue();
    await calls.send(url, 'x');
    await calls.bench.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
    equal((await calls.receive(url)).length, 0);
    await refused(calls.bench.sqs.send(new PurgeQueueCommand({ QueueUrl: url })), 'PurgeQueueInProgress');
  }),
  check('tags are set, listed and taken away', `${API}/API_TagQueue.html`, async (calls) => {
    const QueueUrl = await calls.queue();
    await calls.bench.sqs.send(new TagQueueCommand({ QueueUrl, Tags: { a: '1', b: '2' } }));
    await calls.bench.sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: ['a'] }));
    equal((await calls.bench.sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags, { b: '2' });
  }),
  check('attributes can be changed', `${API}/API_SetQueueAttributes.html`, async (calls) => {
    const url = await calls.queue();
    await calls.bench.sqs.send(
      new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { VisibilityTimeout: '77' } }),
    );
    equal((await calls.attributes(url))['VisibilityTimeout'], '77');
  }),
  check('a message moves on the receive after the last allowed one', DLQ, async (calls) => {
    const { source, dead } = await calls.pair(2);
    await calls.send(source, 'poison');
    for (let receive = 0; receive < 2; receive++) {
      const [message] = await calls.receive(source);
      holds(message !== undefined, `receive ${receive + 1} gives the message`);
      await calls.hide(source, message, 0);
    }
    equal(await calls.depth(dead), [0, 0, 0], 'before the third receive');
    equal((await calls.receive(source)).length, 0);
    equal((await calls.depth(dead))[0], 1, 'after it');
  }),
  check('a moved message keeps its id and names its source', DLQ, async (calls) => {
    const { source, dead, sourceArn } = await calls.pair(1);
    const id = await poison(calls, source, 'poison', 1);
    const [message] = await calls.receive(dead);
    equal([message?.MessageId, message?.Attributes?.['DeadLetterQueueSourceArn']], [id, sourceArn]);
  }),
  check('a moved message keeps its send time on a standard queue', DLQ, async (calls) => {
    const { source, dead } = await calls.pair(1);
    const before = Date.now();
    await calls.send(source, 'poison');
    await sleep(1_100);
    const [first] = await calls.receive(source);
    await calls.hide(source, first, 0);
    await calls.receive(source);
    const [message] = await calls.receive(dead);
    holds(
      Number(message?.Attributes?.['SentTimestamp']) - before < 1_000,
      'the send time is that of the first send',
    );
  }),
  check(
    'sources of a dead-letter queue are listed',
    `${API}/API_ListDeadLetterSourceQueues.html`,
    async (calls) => {
      const { source, dead } = await calls.pair(3);
      equal(
        (await calls.bench.sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }))).queueUrls,
        [source],
      );
    },
  ),
  check('a receive count above 1,000 is refused', DLQ, async (calls) => {
    const deadLetterTargetArn = await calls.arn(await calls.queue());
    await refused(
      calls.queue({ RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1_001 }) }),
      'InvalidParameterValue',
      'InvalidAttributeValue',
    );
  }),
  check('a dead-letter queue that does not exist is refused', DLQ, async (calls) => {
    const arn = await calls.arn(await calls.queue());
    await refused(
      calls.queue({
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: `${arn}-none`, maxReceiveCount: 3 }),
      }),
      'InvalidParameterValue',
      'InvalidAttributeValue',
    );
  }),
  check('a standard queue can not dead-letter to a FIFO queue', DLQ, async (calls) => {
    const deadLetterTargetArn = await calls.arn(await calls.queue(fifoQueue));
    await refused(
      calls.queue({ RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 }) }),
      'InvalidParameterValue',
      'InvalidAttributeValue',
    );
  }),
  check('a redrive-allow policy keeps strangers out', DLQ, async (calls) => {
    const dead = await calls.queue({ RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'denyAll' }) });
    const deadLetterTargetArn = await calls.arn(dead);
    await refused(
      calls.queue({ RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 }) }),
      'InvalidParameterValue',
      'InvalidAttributeValue',
    );
  }),
  check('a move task brings messages back with new ids and counts from one', MOVE, async (calls) => {
    const { source, dead, deadArn } = await calls.pair(1);
    const id = await poison(calls, source, 'poison', 1);
    await calls.bench.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: deadArn }));
    await sleep(1_500);
    equal(await calls.depth(dead), [0, 0, 0], 'dead letters');
    const [message] = await calls.receive(source);
    holds(message !== undefined && message.MessageId !== id, 'a new id');
    equal(message?.Attributes?.['ApproximateReceiveCount'], '1');
    equal((await tasks(calls, deadArn))[0]?.Status, 'COMPLETED');
  }),
  check('a finished move task has no handle', MOVE, async (calls) => {
    const { source, deadArn } = await calls.pair(1);
    await poison(calls, source, 'poison', 1);
    await calls.bench.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: deadArn }));
    await sleep(1_500);
    const [task] = await tasks(calls, deadArn);
    equal([task?.TaskHandle, task?.Status], [undefined, 'COMPLETED']);
  }),
  check('one move task runs at a time, and can be cancelled', MOVE, async (calls) => {
    const { source, deadArn } = await calls.pair(1);
    for (const body of ['a', 'b', 'c', 'd', 'e']) await poison(calls, source, body, 1);
    const start = new StartMessageMoveTaskCommand({ SourceArn: deadArn, MaxNumberOfMessagesPerSecond: 1 });
    const { TaskHandle } = await calls.bench.sqs.send(start);
    await refused(calls.bench.sqs.send(start), 'InvalidParameterValue', 'UnsupportedOperation');
    await calls.bench.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
    await sleep(1_500);
    equal((await tasks(calls, deadArn))[0]?.Status, 'CANCELLED');
  }),
  check('a message whose source is unknown fails the move task and stays', MOVE, async (calls) => {
    const { dead, deadArn } = await calls.pair(1);
    await calls.send(dead, 'sent here');
    await calls.bench.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: deadArn }));
    await sleep(1_500);
    const [task] = await tasks(calls, deadArn);
    equal([task?.Status, (await calls.depth(dead))[0]], ['FAILED', 1]);
  }),
  check('a queue that is no dead-letter queue can not be moved from', MOVE, async (calls) => {
    const SourceArn = await calls.arn(await calls.queue());
    await refused(
      calls.bench.sqs.send(new StartMessageMoveTaskCommand({ SourceArn })),
      'InvalidParameterValue',
    );
  }),
  check('a rate above 500 is refused', MOVE, async (calls) => {
    const { deadArn } = await calls.pair(1);
    await refused(
      calls.bench.sqs.send(
        new StartMessageMoveTaskCommand({ SourceArn: deadArn, MaxNumberOfMessagesPerSecond: 501 }),
      ),
      'InvalidParameterValue',
    );
  }),
  check('a message group comes in order', FIFO, async (calls) => {
    const url = await calls.queue(fifoQueue);
    for (const body of ['1', '2', '3']) await calls.send(url, body, inGroup('g', body));
    equal(
      (await calls.receive(url)).map(({ Body }) => Body),
      ['1', '2', '3'],
    );
  }),
  check('a message group with one in flight gives out nothing more', FIFO, async (calls) => {
    const url = await calls.queue(fifoQueue);
    for (const body of ['1', '2']) await calls.send(url, body, inGroup('g', body));
    await calls.send(url, 'other', inGroup('h', 'other'));
    const [first] = await calls.receive(url, { MaxNumberOfMessages: 1 });
    equal(
      (await calls.receive(url)).map(({ Body }) => Body),
      ['other'],
    );
    await calls.remove(url, first);
    equal(
      (await calls.receive(url)).map(({ Body }) => Body),
      ['2'],
    );
  }),
  check('sequence numbers grow', FIFO, async (calls) => {
    const url = await calls.queue(fifoQueue);
    const first = await calls.send(url, '1', inGroup('g', '1'));
    const second = await calls.send(url, '2', inGroup('g', '2'));
    holds(BigInt(second.SequenceNumber ?? 0) > BigInt(first.SequenceNumber ?? 0), 'growing');
  }),
  check(
    'a repeat within five minutes is swallowed though the first is consumed',
    DEDUPLICATION,
    async (calls) => {
      const url = await calls.queue(fifoQueue);
      const first = await calls.send(url, 'x', inGroup('g', 'same'));
      await calls.remove(url, (await calls.receive(url))[0]);
      const second = await calls.send(url, 'y', inGroup('g', 'same'));
      equal(second.MessageId, first.MessageId, 'id');
      equal(await calls.depth(url), [0, 0, 0], 'depth');
    },
  ),
  check('content-based deduplication takes the body as id', DEDUPLICATION, async (calls) => {
    const url = await calls.queue({ ...fifoQueue, ContentBasedDeduplication: 'true' });
    for (const body of ['same', 'same', 'other']) await calls.send(url, body, { MessageGroupId: 'g' });
    equal((await calls.depth(url))[0], 2);
  }),
  check('a FIFO send without a message group is refused', FIFO, async (calls) =>
    refused(
      calls.send(await calls.queue(fifoQueue), 'x', { MessageDeduplicationId: 'd' }),
      'MissingParameter',
      'InvalidParameterValue',
    ),
  ),
  check('a FIFO send without a deduplication id is refused', DEDUPLICATION, async (calls) =>
    refused(calls.send(await calls.queue(fifoQueue), 'x', { MessageGroupId: 'g' }), 'InvalidParameterValue'),
  ),
  check('a FIFO message has no delay of its own', `${API}/API_SendMessage.html`, async (calls) =>
    refused(
      calls.send(await calls.queue(fifoQueue), 'x', { ...inGroup('g', 'd'), DelaySeconds: 5 }),
      'InvalidParameterValue',
    ),
  ),
  check(
    'a repeated receive attempt answers the same messages',
    `${API}/API_ReceiveMessage.html`,
    async (calls) => {
      const url = await calls.queue(fifoQueue);
      await calls.send(url, 'x', inGroup('g', 'x'));
      const first = await calls.receive(url, { ReceiveRequestAttemptId: 'try' });
      const second = await calls.receive(url, { ReceiveRequestAttemptId: 'try' });
      equal(
        second.map(({ MessageId }) => MessageId),
        first.map(({ MessageId }) => MessageId),
      );
      equal(first.length, 1);
    },
  ),
  check('a FIFO message moves to a FIFO dead-letter queue with its message group', DLQ, async (calls) => {
    const { source, dead } = await calls.pair(1, true);
    await calls.send(source, 'poison', inGroup('g', 'd'));
    const [first] = await calls.receive(source);
    await calls.hide(source, first, 0);
    await calls.receive(source);
    equal((await calls.receive(dead))[0]?.Attributes?.['MessageGroupId'], 'g');
  }),
];
