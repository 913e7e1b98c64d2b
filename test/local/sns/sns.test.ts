import {
  CreateTopicCommand,
  GetSubscriptionAttributesCommand,
  ListSubscriptionsByTopicCommand,
  ListTagsForResourceCommand,
  PublishBatchCommand,
  PublishCommand,
  type PublishCommandInput,
  SetSubscriptionAttributesCommand,
  SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { createSns } from '../../../local/sns/sns';
import { create, functionArn, queueArn, rig, topicArn } from '../cloudwatch/gateway-rig';

const TOPIC = topicArn('t');

async function start(subscriptions: Readonly<Record<string, unknown>>[] = [], topic: object = {}) {
  const base = rig();
  const service = createSns(base.environment, { queues: base.ports, functions: base.ports });
  await create(service, 'AWS::SNS::Topic', { TopicName: 't', ...topic });
  const arn = 'FifoTopic' in topic ? topicArn('t.fifo') : TOPIC;
  for (const subscription of subscriptions)
    await create(service, 'AWS::SNS::Subscription', { TopicArn: arn, Protocol: 'sqs', ...subscription });
  const client = new SNSClient(await base.serve(service));
  const publish = (message: string, more: Partial<PublishCommandInput> = {}) =>
    client.send(new PublishCommand({ TopicArn: arn, Message: message, ...more }));
  const bodies = (): string[] => base.ports.sent.map(({ message }) => message.body);
  return { ...base, service, client, publish, bodies };
}

const text = (value: string) => ({ DataType: 'String', StringValue: value });

describe('a published message', () => {
  it('reaches a queue in the envelope of SNS', async () => {
    const { publish, bodies, eventsOf } = await start([{ Endpoint: queueArn('q') }]);
    const { MessageId } = await publish('hello <&> "you"', {
      Subject: 'Greeting',
      MessageAttributes: {
        kind: text('a'),
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
      },
    });
    expect(bodies().map((body) => JSON.parse(body))).toEqual([
      {
        Type: 'Notification',
        MessageId,
        TopicArn: TOPIC,
        Subject: 'Greeting',
        Message: 'hello <&> "you"',
        Timestamp: '2026-01-05T09:00:00.000Z',
        MessageAttributes: {
          kind: { Type: 'String', Value: 'a' },
          bytes: { Type: 'Binary', Value: 'AQI=' },
        },
      },
    ]);
    expect(eventsOf('sns.published')).toMatchObject([{ topicArn: TOPIC, subject: 'Greeting' }]);
  });

  it('reaches a queue raw with its attributes, but not with more than ten', async () => {
    const { publish, ports, eventsOf } = await start([{ Endpoint: queueArn('q'), RawMessageDelivery: true }]);
    await publish('plain', { MessageAttributes: { kind: text('a') } });
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`a${index}`, text('x')]));
    await publish('lost', { MessageAttributes: many });
    expect(ports.sent).toEqual([
      {
        queue: 'q',
        message: { body: 'plain', messageAttributes: { kind: { dataType: 'String', stringValue: 'a' } } },
      },
    ]);
    expect(eventsOf('sns.undelivered')).toMatchObject([{ reason: expect.stringContaining('10 message') }]);
  });

  it('reaches a function as a record, and people through the inbox, with a text for each', async () => {
    const { publish, ports, service } = await start([
      { Protocol: 'lambda', Endpoint: functionArn('f') },
      { Protocol: 'email', Endpoint: 'who@example.test' },
      { Protocol: 'https', Endpoint: 'https://example.test' },
    ]);
    await publish(JSON.stringify({ default: 'all', email: 'Dear you' }), {
      MessageStructure: 'json',
      Subject: 'S',
    });
    expect(ports.invoked).toMatchObject([
      {
        name: 'f',
        payload: {
          Records: [{ EventSource: 'aws:sns', Sns: { Message: 'all', Subject: 'S', MessageAttributes: {} } }],
        },
      },
    ]);
    expect(service.inbox()).toMatchObject([
      { protocol: 'email', endpoint: 'who@example.test', subject: 'S', body: 'Dear you' },
      { protocol: 'https', body: 'all' },
    ]);
  });

  it('goes to the dead-letter queue of a subscription whose queue is not there', async () => {
    const { publish, ports, eventsOf } = await start([
      {
        Endpoint: queueArn('broken'),
        RawMessageDelivery: true,
        RedrivePolicy: { deadLetterTargetArn: queueArn('dead') },
      },
      { Endpoint: queueArn('other'), RawMessageDelivery: true },
    ]);
    await publish('hello');
    expect(ports.sent.map(({ queue, message }) => [queue, message.body])).toEqual([
      ['dead', 'hello'],
      ['other', 'hello'],
    ]);
    expect(eventsOf('sns.undelivered')).toMatchObject([{ deadLetters: queueArn('dead') }]);
  });
});

describe('a filter policy', () => {
  it.each([
    [{ kind: ['a', 'b'] }, true],
    [{ kind: ['b'] }, false],
    [{ kind: ['a'], price: [{ numeric: ['>', 5, '<=', 10] }] }, true],
    [{ price: [{ numeric: ['>', 10] }] }, false],
    [{ kind: [{ prefix: 'a' }] }, true],
    [{ kind: [{ 'anything-but': ['a'] }] }, false],
    [{ kind: [{ 'anything-but': ['b'] }] }, true],
    [{ other: [{ exists: false }] }, true],
    [{ other: [{ exists: true }] }, false],
    [{ list: ['two'] }, true],
  ])('%j on attributes', async (policy, passes) => {
    const { publish, ports } = await start([{ Endpoint: queueArn('q'), FilterPolicy: policy }]);
    await publish('x', {
      MessageAttributes: {
        kind: text('a'),
        price: { DataType: 'Number', StringValue: '10' },
        list: { DataType: 'String.Array', StringValue: '["one","two"]' },
      },
    });
    expect(ports.sent).toHaveLength(passes ? 1 : 0);
  });

  it.each([
    [{ order: { state: ['paid'] } }, '{"order":{"state":"paid"}}', true],
    [{ order: { state: ['paid'] } }, '{"order":{"state":"open"}}', false],
    [{ order: { state: ['paid'] } }, 'no json', false],
  ])('%j on the body %s', async (policy, body, passes) => {
    const { publish, ports } = await start([
      { Endpoint: queueArn('q'), FilterPolicy: policy, FilterPolicyScope: 'MessageBody' },
    ]);
    await publish(body);
    expect(ports.sent).toHaveLength(passes ? 1 : 0);
  });

  it.each([
    [{ kind: [{ cidr: '10.0.0.0/8' }] }, /cidr, which is not emulated/],
    [{ kind: [{ 'anything-but': { prefix: 'a' } }] }, /anything-but with an operator/],
    [{ kind: 'a' }, /must be an object or an array/],
  ])('%j is refused', async (policy, message) => {
    await expect(start([{ Endpoint: queueArn('q'), FilterPolicy: policy }])).rejects.toMatchObject({
      property: 'FilterPolicy',
      message: expect.stringMatching(message),
    });
  });
});

describe('a FIFO topic', () => {
  it('hands on groups, and sends a message once in five minutes', async () => {
    const fifo = { TopicName: 't.fifo', FifoTopic: true, ContentBasedDeduplication: true };
    const { publish, ports, clock } = await start([{ Endpoint: queueArn('q.fifo') }], fifo);
    const first = await publish('same', { MessageGroupId: 'g' });
    const second = await publish('same', { MessageGroupId: 'g' });
    expect(second.MessageId).toBe(first.MessageId);
    await publish('same', { MessageGroupId: 'g', MessageDeduplicationId: 'other' });
    await clock.advance(5 * 60_000);
    await publish('same', { MessageGroupId: 'g' });
    expect(ports.sent.map(({ message }) => message.groupId)).toEqual(['g', 'g', 'g']);
    expect(new Set(ports.sent.map(({ message }) => message.deduplicationId)).size).toBe(2);
    await expect(publish('x')).rejects.toThrow(/MessageGroupId parameter is required/);
  });

  it('stands alone among queues: no standard topic to a FIFO queue, no function on a FIFO topic', async () => {
    await expect(start([{ Endpoint: queueArn('q.fifo') }])).rejects.toThrow(/FIFO SQS Queues/);
    await expect(
      start([{ Protocol: 'lambda', Endpoint: functionArn('f') }], { TopicName: 't.fifo', FifoTopic: true }),
    ).rejects.toThrow(/queues only/);
  });
});

describe('the API', () => {
  it('judges each entry of a batch', async () => {
    const { client, bodies } = await start([{ Endpoint: queueArn('q'), RawMessageDelivery: true }]);
    const { Successful, Failed } = await client.send(
      new PublishBatchCommand({
        TopicArn: TOPIC,
        PublishBatchRequestEntries: [
          { Id: '1', Message: 'one', MessageAttributes: { kind: text('a') } },
          { Id: '2', Message: '' },
          { Id: '3', Message: 'three' },
        ],
      }),
    );
    expect(Successful?.map(({ Id }) => Id)).toEqual(['1', '3']);
    expect(Failed).toMatchObject([{ Id: '2', Code: 'InvalidParameter', SenderFault: true }]);
    expect(bodies()).toEqual(['one', 'three']);
  });

  it.each<[string, Partial<PublishCommandInput>, string, RegExp]>([
    ['too long', { Message: 'x'.repeat(262_145) }, 'InvalidParameterException', /too long/],
    [
      'too long with its attributes',
      { Message: 'x'.repeat(262_140), MessageAttributes: { kind: text('a') } },
      'InvalidParameterException',
      /too long/,
    ],
    ['with a long subject', { Subject: 'x'.repeat(101) }, 'InvalidParameterException', /Subject/],
    [
      'without a default',
      { MessageStructure: 'json', Message: '{}' },
      'InvalidParameterException',
      /default/,
    ],
    ['to no topic', { TopicArn: topicArn('none') }, 'NotFoundException', /Topic does not exist/],
  ])('refuses a message %s', async (_, wrong, name, message) => {
    const { publish } = await start();
    await expect(publish('x', wrong)).rejects.toMatchObject({
      name,
      message: expect.stringMatching(message),
    });
  });

  it('subscribes, changes a filter, and unsubscribes', async () => {
    const { client, publish, ports } = await start();
    const { SubscriptionArn } = await client.send(
      new SubscribeCommand({
        TopicArn: TOPIC,
        Protocol: 'sqs',
        Endpoint: queueArn('q'),
        Attributes: { RawMessageDelivery: 'true' },
        ReturnSubscriptionArn: true,
      }),
    );
    await client.send(
      new SetSubscriptionAttributesCommand({
        SubscriptionArn,
        AttributeName: 'FilterPolicy',
        AttributeValue: '{"kind":["a"]}',
      }),
    );
    await publish('filtered');
    await publish('passes', { MessageAttributes: { kind: text('a') } });
    expect(ports.sent.map(({ message }) => message.body)).toEqual(['passes']);
    const { Attributes } = await client.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
    expect(Attributes).toMatchObject({ FilterPolicy: '{"kind":["a"]}', RawMessageDelivery: 'true' });
    await client.send(new UnsubscribeCommand({ SubscriptionArn }));
    const { Subscriptions } = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn: TOPIC }));
    expect(Subscriptions).toEqual([]);
  });

  it('keeps tags', async () => {
    const { client } = await start();
    const { TopicArn } = await client.send(
      new CreateTopicCommand({
        Name: 'tagged',
        Tags: [
          { Key: 'a', Value: '1' },
          { Key: 'b', Value: '2' },
        ],
      }),
    );
    await client.send(new UntagResourceCommand({ ResourceArn: TopicArn, TagKeys: ['a'] }));
    const { Tags } = await client.send(new ListTagsForResourceCommand({ ResourceArn: TopicArn }));
    expect(Tags).toEqual([{ Key: 'b', Value: '2' }]);
  });

  it('asks for the right on the topic, the same for a batch', async () => {
    const { client, denied, asked, ports } = await start([{ Endpoint: queueArn('q') }]);
    denied.add('sns:Publish');
    const batch = new PublishBatchCommand({
      TopicArn: TOPIC,
      PublishBatchRequestEntries: [{ Id: '1', Message: 'x' }],
    });
    await expect(client.send(batch)).rejects.toMatchObject({ name: 'AuthorizationErrorException' });
    expect(asked).toMatchObject([{ action: 'sns:Publish', resource: TOPIC }]);
    expect(ports.sent).toEqual([]);
  });
});
