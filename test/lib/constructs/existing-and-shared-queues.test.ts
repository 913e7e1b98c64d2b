import { Duration } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { type IRecoverableQueue, RecoverableQueue, SharedDeadLetterQueue } from 'cdk-redrive';
import { describe, expect, it } from 'vitest';
import { circleIn, ofType, only, Shop } from './shop';

function imported(shop: Shop, name: string): IQueue {
  return Queue.fromQueueArn(shop.stack, `Import-${name}`, `arn:aws:sqs:eu-west-1:111122223333:${name}`);
}

function adopt(
  shop: Shop,
  more: Partial<Parameters<typeof RecoverableQueue.fromQueues>[2]> = {},
): IRecoverableQueue {
  return RecoverableQueue.fromQueues(shop.stack, 'Legacy', {
    sourceQueue: imported(shop, 'legacy'),
    deadLetterQueue: imported(shop, 'legacy-dead'),
    maxReceiveCount: 4,
    owner: 'legacy team',
    ...more,
  });
}

describe('queues that exist already', () => {
  it('get a replay queue, alarms and a redrive, and stay as they are', () => {
    const shop = new Shop();
    const queue = adopt(shop, { visibilityTimeout: Duration.minutes(3) });
    queue.addConsumer(shop.consumer());
    const resources = shop.resources();
    expect(ofType(resources, 'AWS::SQS::Queue').map(([, { Properties }]) => Properties)).toEqual([
      {
        QueueName: 'legacy-replay',
        MaximumMessageSize: 1_048_576,
        MessageRetentionPeriod: 345_600,
        SqsManagedSseEnabled: true,
        VisibilityTimeout: 180,
        RedrivePolicy: {
          deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:111122223333:legacy-dead',
          maxReceiveCount: 4,
        },
      },
    ]);
    const [source, replay] = ofType(resources, 'AWS::Lambda::EventSourceMapping').map(
      ([, { Properties }]) => Properties,
    );
    expect(source?.['EventSourceArn']).toBe('arn:aws:sqs:eu-west-1:111122223333:legacy');
    expect(replay?.['EventSourceArn']).toMatchObject({
      'Fn::GetAtt': [expect.stringMatching(/^LegacyReplayQueue/), 'Arn'],
    });
    expect(only(resources, /^RedriveQueuelegacy/).Properties['Name']).toBe('/cdk-redrive/Shop/legacy');
    expect(
      ofType(resources, 'AWS::CloudWatch::Alarm').some(([, { Properties }]) =>
        JSON.stringify(Properties).includes('"Value":"legacy-dead"'),
      ),
    ).toBe(true);
  });

  it('of an unseen visibility timeout are warned of, and not taken for 30 seconds (F03)', () => {
    const shop = new Shop();
    adopt(shop).addConsumer(shop.consumer());
    Annotations.fromStack(shop.stack).hasWarning(
      '/Shop/Legacy',
      Match.stringLikeRegexp('give visibilityTimeout'),
    );
    expect(shop.problems()).toBe('');
  });

  it('are held against their consumers when the visibility timeout is told', () => {
    const shop = new Shop();
    adopt(shop, { visibilityTimeout: Duration.seconds(120) }).addConsumer(shop.consumer());
    expect(shop.problems()).toContain(
      'VISIBILITY_TOO_SHORT: Shop/Legacy: visibilityTimeout is 120 s, but Shop/Ship needs 180 s',
    );
  });

  it('of the same app tell their settings themselves', () => {
    const shop = new Shop();
    const dead = new Queue(shop.stack, 'Dead', { retentionPeriod: Duration.days(10) });
    const sourceQueue = new Queue(shop.stack, 'Source', {
      queueName: 'mine',
      visibilityTimeout: Duration.seconds(60),
      retentionPeriod: Duration.days(2),
      deadLetterQueue: { queue: dead, maxReceiveCount: 4 },
    });
    const queue = adopt(shop, { sourceQueue, deadLetterQueue: dead });
    queue.addConsumer(shop.consumer());
    expect([
      queue.queueName,
      queue.retentionPeriod.toDays(),
      queue.deadLetterRetentionPeriod.toDays(),
    ]).toEqual(['mine', 2, 10]);
    expect(shop.problems()).toContain('visibilityTimeout is 60 s');
  });

  it('must have a name that is known at synth', () => {
    const shop = new Shop();
    const sourceQueue = new Queue(shop.stack, 'Nameless');
    expect(() => adopt(shop, { sourceQueue })).toThrow(
      /QUEUE_NAME_UNKNOWN.*Shop\/Nameless.*next: give the queue a fixed name/s,
    );
  });

  it('must be of one type', () => {
    const shop = new Shop();
    adopt(shop, { sourceQueue: imported(shop, 'legacy.fifo'), replayQueue: false });
    expect(shop.problems()).toContain('QUEUE_TYPES_DIFFER: Shop/Legacy');
  });

  it('get a FIFO replay queue when they are FIFO', () => {
    const shop = new Shop();
    adopt(shop, { sourceQueue: imported(shop, 'legacy.fifo'), deadLetterQueue: imported(shop, 'dead.fifo') });
    expect(only(shop.resources(), /^LegacyReplayQueue[0-9A-F]{8}$/).Properties).toMatchObject({
      QueueName: 'legacy-replay.fifo',
      FifoQueue: true,
    });
  });

  it('can do without a replay queue', () => {
    const shop = new Shop();
    expect(adopt(shop, { replayQueue: false }).replayQueue).toBeUndefined();
    expect(ofType(shop.resources(), 'AWS::SQS::Queue')).toEqual([]);
  });
});

describe('a dead-letter queue for several queues', () => {
  it('lets exactly these in, without a circle', () => {
    const shop = new Shop();
    const deadLetterQueue = new SharedDeadLetterQueue(shop.stack, 'Dead', {
      queueName: 'small-dlq',
      owner: 'shop team',
    });
    for (const id of ['Orders', 'Bills']) shop.queue({ queueName: id.toLowerCase(), deadLetterQueue }, id);
    const resources = shop.resources();
    const dead = only(resources, /^DeadQueue[0-9A-F]{8}$/).Properties;
    const allowed = JSON.stringify(dead['RedriveAllowPolicy']);
    for (const name of ['orders', 'orders-replay', 'bills', 'bills-replay'])
      expect(allowed).toContain(`:${name}"`);
    expect(allowed.match(/Fn::Join/g)).toHaveLength(4);
    expect(ofType(resources, 'AWS::SQS::Queue')).toHaveLength(5);
    expect(circleIn(resources)).toEqual([]);
    const depthAlarms = ofType(resources, 'AWS::CloudWatch::Alarm').filter(([id]) =>
      /Presence|Growth|Expiry/.test(id),
    );
    expect(depthAlarms.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      'DeadExpiry',
      'DeadGrowth',
      'DeadPresence',
    ]);
  });

  it('takes ten sources and not eleven; a replay queue counts', () => {
    const shop = new Shop();
    const deadLetterQueue = new SharedDeadLetterQueue(shop.stack, 'Dead');
    for (let index = 0; index < 10; index++) shop.queue({ deadLetterQueue, replayQueue: false }, `Q${index}`);
    expect(shop.problems()).toBe('');
    const full = new Shop();
    const dead = new SharedDeadLetterQueue(full.stack, 'Dead');
    for (let index = 0; index < 6; index++) full.queue({ deadLetterQueue: dead }, `Q${index}`);
    expect(full.problems()).toContain('ALLOW_POLICY_TOO_LONG: Shop/Dead: 12 sources, and 10 are allowed');
  });

  it('must be of the type of its sources, and keep messages for longer', () => {
    const shop = new Shop();
    const deadLetterQueue = new SharedDeadLetterQueue(shop.stack, 'Dead', {
      retentionPeriod: Duration.days(4),
    });
    shop.queue({ deadLetterQueue, fifo: true });
    const said = shop.problems();
    expect(said).toContain('QUEUE_TYPES_DIFFER: Shop/Dead: Shop/Orders/SourceQueue, Shop/Orders/ReplayQueue');
    expect(said).toContain('RETENTION_ORDER: Shop/Dead');
  });

  it('has a key of its own, which the consumers of all may use', () => {
    const shop = new Shop();
    const encryptionKey = new Key(shop.stack, 'Key');
    const deadLetterQueue = new SharedDeadLetterQueue(shop.stack, 'Dead', { encryptionKey });
    shop.queue({ deadLetterQueue }).addConsumer(shop.consumer());
    expect(JSON.stringify(only(shop.resources(), /^ShipServiceRoleDefaultPolicy/))).toContain(
      '"Action":["kms:Decrypt","kms:GenerateDataKey"],"Effect":"Allow","Resource":{"Fn::GetAtt":["Key',
    );
  });

  it('is not redriven: a run would take the messages of the other queues as well', () => {
    const shop = new Shop();
    const deadLetterQueue = new SharedDeadLetterQueue(shop.stack, 'Dead');
    shop.queue({ deadLetterQueue });
    expect(ofType(shop.resources(), 'AWS::SSM::Parameter')).toEqual([]);
    Annotations.fromStack(shop.stack).hasWarning('/Shop/Orders', Match.stringLikeRegexp('shared'));
  });
});
