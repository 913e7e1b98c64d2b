import { App, CfnParameter, CfnResource, Duration, NestedStack, Stack, Stage } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { RecoverableQueue, type RecoverableQueueProps } from 'cdk-redrive';
import { describe, expect, it } from 'vitest';
import { circleIn, ofType, only, type Resources, Shop } from './shop';

const SOURCE = /^OrdersSourceQueue[0-9A-F]{8}$/;
const DEAD = /^OrdersDeadLetterQueue[0-9A-F]{8}$/;
const REPLAY = /^OrdersReplayQueue[0-9A-F]{8}$/;

describe('what is refused at synth', () => {
  it.each<[code: string, numbers: RegExp, props: RecoverableQueueProps]>([
    ['RECEIVE_COUNT_RANGE', /1001; 1 to 1,000/, { maxReceiveCount: 1_001 }],
    ['RECEIVE_COUNT_RANGE', /0; 1 to 1,000/, { maxReceiveCount: 0 }],
    ['RECEIVE_COUNT_LOW', /maxReceiveCount is 1:/, { maxReceiveCount: 1 }],
    ['RECEIVE_COUNT_LOW', /maxReceiveCount is 2:/, { maxReceiveCount: 2, lowReceiveCountReason: ' ' }],
    ['RETENTION_ORDER', /1209600 s.*1209600 s/, { retentionPeriod: Duration.days(14) }],
    [
      'RETENTION_ORDER',
      /345600 s.*345600 s/,
      { retentionPeriod: Duration.days(4), deadLetterRetentionPeriod: Duration.days(4) },
    ],
    ['RETENTION_RANGE', /1209600 s at most, not 1296000 s/, { deadLetterRetentionPeriod: Duration.days(15) }],
    ['RETENTION_RANGE', /60 s at least, not 59 s/, { retentionPeriod: Duration.seconds(59) }],
    ['MESSAGE_SIZE_RANGE', /1048577/, { maxMessageSizeBytes: 1_048_577 }],
    ['MESSAGE_SIZE_RANGE', /1023/, { maxMessageSizeBytes: 1_023 }],
    ['DEDUPLICATION_NEEDS_FIFO', /set fifo/, { contentBasedDeduplication: true }],
    ['VISIBILITY_RANGE', /43201 s/, { visibilityTimeout: Duration.seconds(43_201) }],
    ['VISIBILITY_TOO_SHORT', /179 s.*180 s.*30 s/, { visibilityTimeout: Duration.seconds(179) }],
  ])('%s, %s', (code, numbers, props) => {
    const shop = new Shop();
    shop.queue(props).addConsumer(shop.consumer());
    const said = shop.problems();
    expect(said).toContain(`${code}: Shop/Orders`);
    expect(said).toMatch(numbers);
  });

  it('tells everything at once', () => {
    const shop = new Shop();
    shop
      .queue({
        maxReceiveCount: 2,
        visibilityTimeout: Duration.seconds(60),
        retentionPeriod: Duration.days(13),
        deadLetterRetentionPeriod: Duration.days(12),
      })
      .addConsumer(shop.consumer(), { maxConcurrency: 1 });
    const said = shop.problems();
    for (const code of ['RECEIVE_COUNT_LOW', 'VISIBILITY_TOO_SHORT', 'RETENTION_ORDER', 'CONCURRENCY_RANGE'])
      expect(said).toContain(code);
  });

  it('lets a receive count of 1 pass with a reason', () => {
    const shop = new Shop();
    shop
      .queue({ maxReceiveCount: 1, lowReceiveCountReason: 'the consumer keeps its own retries' })
      .addConsumer(shop.consumer());
    expect(shop.problems()).toBe('');
  });

  it('says nothing about tokens', () => {
    const shop = new Shop();
    const number = (id: string): number =>
      new CfnParameter(shop.stack, id, { type: 'Number', default: 2_000 }).valueAsNumber;
    const queue = shop.queue({ maxReceiveCount: number('Count'), maxMessageSizeBytes: number('Size') });
    queue.addConsumer(shop.consumer(), { batchSize: number('Batch'), maxConcurrency: number('Most') });
    expect(shop.problems()).toBe('');
  });

  it('finds what an override took away after the construct had set it (F17)', () => {
    const shop = new Shop();
    const queue = shop.queue();
    queue.addConsumer(shop.consumer());
    (queue.sourceQueue.node.defaultChild as CfnQueue).addPropertyOverride('VisibilityTimeout', 40);
    for (const mapping of queue.node.findAll().filter(CfnResource.isCfnResource))
      if (mapping.cfnResourceType === 'AWS::Lambda::EventSourceMapping')
        mapping.addPropertyDeletionOverride('FunctionResponseTypes');
    const said = shop.problems();
    expect(said).toContain(
      'VISIBILITY_TOO_SHORT: Shop/Orders/SourceQueue: VisibilityTimeout: 40 s; 180 s are needed',
    );
    expect(said).toContain('NO_PARTIAL_BATCH_RESPONSE: Shop/Orders/Consume-');
  });

  it('finds a consumer that may send to the queue that feeds it (F14)', () => {
    const shop = new Shop();
    const queue = shop.queue();
    const consumer = shop.consumer();
    queue.addConsumer(consumer);
    queue.grantSendMessages(consumer);
    expect(shop.problems()).toContain('CONSUMER_SENDS_TO_SOURCE');
  });
});

describe('the queues', () => {
  it('are a source, a dead-letter and a replay queue that keep, encrypt and outlive what they hold', () => {
    const shop = new Shop();
    shop
      .queue({ queueName: 'orders' })
      .addConsumer(shop.consumer(), { batchSize: 100, maxBatchingWindow: Duration.seconds(20) });
    const resources = shop.resources();
    const settings = { MaximumMessageSize: 1_048_576, SqsManagedSseEnabled: true };
    const redrivePolicy = {
      deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringMatching(DEAD), 'Arn'] },
      maxReceiveCount: 5,
    };
    const fed = {
      ...settings,
      MessageRetentionPeriod: 345_600,
      VisibilityTimeout: 200,
      RedrivePolicy: redrivePolicy,
    };
    expect(only(resources, SOURCE).Properties).toEqual({ QueueName: 'orders', ...fed });
    expect(only(resources, REPLAY).Properties).toEqual({ QueueName: 'orders-replay', ...fed });
    expect(only(resources, DEAD).Properties).toEqual({
      QueueName: 'orders-dlq',
      ...settings,
      MessageRetentionPeriod: 1_209_600,
      RedriveAllowPolicy: {
        redrivePermission: 'byQueue',
        sourceQueueArns: ['orders', 'orders-replay'].map((name) => ({
          'Fn::Join': [
            '',
            [
              'arn:',
              { Ref: 'AWS::Partition' },
              ':sqs:',
              { Ref: 'AWS::Region' },
              ':',
              { Ref: 'AWS::AccountId' },
              `:${name}`,
            ],
          ],
        })),
      },
    });
    const kept = [...ofType(resources, 'AWS::SQS::Queue'), ...ofType(resources, 'AWS::DynamoDB::Table')];
    expect(kept).toHaveLength(5);
    for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of kept)
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, 'Retain', 'Retain']);
    expect(ofType(resources, 'AWS::SQS::QueuePolicy')).toHaveLength(3);
  });

  it('refer to each other without a circle', () => {
    const shop = new Shop();
    const queue = shop.queue({ encryptionKey: new Key(shop.stack, 'Key') });
    queue.addConsumer(shop.consumer());
    const resources = shop.resources();
    expect(ofType(resources, 'AWS::SQS::Queue')).toHaveLength(3);
    expect(circleIn(resources)).toEqual([]);
  });

  it('would be found in a circle, if there were one', () => {
    const get = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
    const queue = (other: string) => ({ Type: 'AWS::SQS::Queue', Properties: { RedrivePolicy: get(other) } });
    expect(circleIn({ A: queue('B'), B: queue('A') })).toEqual(['A', 'B', 'A']);
  });

  it('are all FIFO on demand, with names that say so', () => {
    const shop = new Shop();
    shop
      .queue({ queueName: 'orders.fifo', fifo: true, contentBasedDeduplication: true })
      .addConsumer(shop.consumer());
    const queues = ofType(shop.resources(), 'AWS::SQS::Queue').map(([, { Properties }]) => Properties);
    expect(queues.map(({ QueueName }) => QueueName).sort()).toEqual([
      'orders-dlq.fifo',
      'orders-replay.fifo',
      'orders.fifo',
    ]);
    for (const { FifoQueue, ContentBasedDeduplication } of queues)
      expect([FifoQueue, ContentBasedDeduplication]).toEqual([true, true]);
  });

  it('do without a replay queue when redrives go straight back', () => {
    const shop = new Shop();
    const queue = shop.queue({ replayQueue: false });
    queue.addConsumer(shop.consumer());
    const resources = shop.resources();
    expect(queue.replayQueue).toBeUndefined();
    expect(ofType(resources, 'AWS::SQS::Queue')).toHaveLength(2);
    expect(ofType(resources, 'AWS::Lambda::EventSourceMapping')).toHaveLength(1);
    expect(JSON.stringify(only(resources, DEAD).Properties['RedriveAllowPolicy'])).not.toContain('replay');
  });

  it('keep a visibility timeout that is long enough', () => {
    const shop = new Shop();
    shop.queue({ visibilityTimeout: Duration.minutes(10) }).addConsumer(shop.consumer());
    expect(only(shop.resources(), SOURCE).Properties['VisibilityTimeout']).toBe(600);
  });

  it('stay hidden for as long as the slowest of their consumers needs', () => {
    const shop = new Shop();
    const queue = shop.queue();
    queue.addConsumer(shop.consumer());
    queue.addConsumer(shop.consumer({ timeout: Duration.seconds(100) }, 'Slow'));
    expect(queue.visibilitySeconds()).toBe(600);
    expect(only(shop.resources(), SOURCE).Properties['VisibilityTimeout']).toBe(600);
  });
});

describe('names and logical ids', () => {
  it('are a contract: a changed one would replace a queue with its messages (F47)', () => {
    const shop = new Shop();
    shop.queue().addConsumer(shop.consumer());
    const kept = [
      'AWS::SQS::Queue',
      'AWS::DynamoDB::Table',
      'AWS::SSM::Parameter',
      'AWS::StepFunctions::StateMachine',
      'AWS::SNS::Topic',
    ];
    const ids = Object.entries(shop.resources())
      .filter(([, { Type }]) => kept.includes(Type))
      .map(([id]) => id);
    expect(ids.sort()).toEqual([
      'OrdersDeadLetterQueueA73944CE',
      'OrdersReplayQueueA0F7137A',
      'OrdersSourceQueue1051E0BC',
      'RedriveAlarms0E7945D5',
      'RedriveFailureStoreTable532D9A56',
      'RedriveIdempotencyTableD75F1829',
      'RedriveQueueShopOrdersA8B1F50963661D2B',
      'RedriveStateMachineFCE7A04E',
    ]);
  });

  it('differ between stacks, stages and queues of the same id', () => {
    const app = new App();
    const names = ['Beta', 'Prod'].flatMap((name) => {
      const stack = new Stack(new Stage(app, name), 'Shop');
      return ['Orders', 'Bills'].map((id) => new RecoverableQueue(stack, id, { owner: 'us' }).queueName);
    });
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,60}$/);
  });

  it('stay within the limits of SQS however deep the construct lies', () => {
    const stack = new Stack(new App(), 'AStackWithAVeryLongNameThatNobodyShouldHaveGivenToIt'.repeat(2));
    const { queueName } = new RecoverableQueue(stack, 'AnIdThatIsNotShortEither'.repeat(3), {
      fifo: true,
      owner: 'us',
    });
    expect(`${queueName.replace('.fifo', '')}-replay.fifo`.length).toBeLessThanOrEqual(80);
    expect(queueName).toMatch(/\.fifo$/);
  });
});

describe('keys', () => {
  it('of your own lie on all three queues, and every party may use them (F41, F42)', () => {
    const shop = new Shop();
    const key = new Key(shop.stack, 'Key');
    const queue = shop.queue({ encryptionKey: key });
    const consumer = shop.consumer();
    const producer = shop.consumer({}, 'Web');
    queue.addConsumer(consumer);
    queue.grantSendMessages(producer);
    const resources = shop.resources();
    const keyArn = { 'Fn::GetAtt': [expect.stringMatching(/^Key/), 'Arn'] };
    for (const id of [SOURCE, DEAD, REPLAY])
      expect(only(resources, id).Properties['KmsMasterKeyId']).toEqual(keyArn);
    const actions = (role: RegExp) => kmsActions(resources, role);
    expect(actions(/^ShipServiceRoleDefaultPolicy/)).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
    expect(actions(/^WebServiceRoleDefaultPolicy/)).toEqual(
      expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey*']),
    );
    expect(actions(/^RedriveMoveServiceRoleDefaultPolicy/)).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
    expect(actions(/^RedriveSettleServiceRoleDefaultPolicy/)).toEqual(['kms:Decrypt']);
  });
});

function kmsActions(resources: Resources, role: RegExp): string[] {
  const { Statement } = only(resources, role).Properties['PolicyDocument'] as {
    Statement: { Action: string | string[] }[];
  };
  const actions = Statement.flatMap(({ Action }) => Action).filter((action) => action.startsWith('kms:'));
  return [...new Set(actions)].sort();
}

describe('across stacks', () => {
  it('a queue, its consumer and its key may live in three of them (F45)', () => {
    const app = new App();
    const key = new Key(new Stack(app, 'Keys'), 'Key');
    const queues = new Stack(app, 'Queues');
    const consumers = new Stack(app, 'Consumers');
    const queue = new RecoverableQueue(queues, 'Orders', { owner: 'us', encryptionKey: key });
    queue.addConsumer(
      new LambdaFunction(consumers, 'Ship', {
        runtime: Runtime.NODEJS_24_X,
        handler: 'index.handler',
        code: Code.fromInline('x'),
      }),
    );
    expect(() => app.synth()).not.toThrow();
    for (const stack of [queues, consumers])
      expect(circleIn(Template.fromStack(stack).toJSON()['Resources'] as Resources)).toEqual([]);
  });

  it('works in a nested stack and in one with a region of its own', () => {
    const app = new App();
    const parent = new Stack(app, 'Parent', { env: { account: '111122223333', region: 'eu-north-1' } });
    const nested = new NestedStack(parent, 'Nested');
    new RecoverableQueue(nested, 'Orders', { owner: 'us' });
    app.synth();
    Template.fromStack(nested).resourceCountIs('AWS::SQS::Queue', 3);
    // What is shared belongs to the whole.
    Template.fromStack(parent).resourceCountIs('AWS::DynamoDB::Table', 2);
    Template.fromStack(parent).hasResourceProperties('AWS::SSM::Parameter', {
      Name: '/cdk-redrive/Parent/Parent-Nested-Orders-C7D66EC0',
    });
    for (const stack of [parent, nested])
      expect(circleIn(Template.fromStack(stack).toJSON()['Resources'] as Resources)).toEqual([]);
  });
});

describe('owners', () => {
  it('are missed aloud', () => {
    const shop = new Shop();
    new RecoverableQueue(shop.stack, 'Orders');
    Annotations.fromStack(shop.stack).hasWarning('/Shop/Orders', Match.stringLikeRegexp('nobody answers'));
  });
});
