import { Duration } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AlarmKind, AlarmProfile, type RecoverableQueueProps } from 'cdk-redrive';
import { describe, expect, it } from 'vitest';
import { ofType, only, type Resources, Shop } from './shop';

interface AlarmProperties {
  readonly AlarmDescription: string;
  readonly Threshold?: number;
  readonly EvaluationPeriods: number;
  readonly TreatMissingData: string;
  readonly AlarmActions: { Ref: string }[];
  readonly OKActions: { Ref: string }[];
  readonly MetricName?: string;
  readonly Statistic?: string;
  readonly Metrics?: { Expression?: string; MetricStat?: { Stat: string; Metric: { MetricName: string } } }[];
}

/** Alarms of the queue by kind. */
function alarmsOf(resources: Resources): Map<string, AlarmProperties> {
  return new Map(
    ofType(resources, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => [
      /^(?:Orders|Ship)(?:Alarms)?([A-Z][A-Za-z]+?)(?:[0-9a-f]{8})?[0-9A-F]{8}$/.exec(id)?.[1] ?? id,
      Properties as unknown as AlarmProperties,
    ]),
  );
}

function withQueue(props: RecoverableQueueProps = {}): Resources {
  const shop = new Shop();
  shop.queue({ queueName: 'orders', ...props }).addConsumer(shop.consumer());
  return shop.resources();
}

const COMMON = [
  'Backlog',
  'Expiry',
  'Growth',
  'InFlight',
  'Oldest',
  'Parked',
  'Recursion',
  'RunStopped',
  'Stall',
  'StoreErrors',
  'Throttles',
  'Unbalanced',
];

describe('the alarms of a queue', () => {
  it('are those of its profile, more or fewer on demand', () => {
    const kinds = (props: RecoverableQueueProps) => [...alarmsOf(withQueue(props)).keys()].sort();
    expect(kinds({})).toEqual([...COMMON, 'Presence'].sort());
    expect(kinds({ alarmProfile: AlarmProfile.HIGH_VOLUME })).toEqual(
      [...COMMON, 'Depth', 'FailureShare', 'Spike'].sort(),
    );
    expect(kinds({ moreAlarms: [AlarmKind.DEPTH], withoutAlarms: [AlarmKind.BACKLOG] })).toEqual(
      [...COMMON, 'Depth', 'Presence'].filter((kind) => kind !== 'Backlog').sort(),
    );
  });

  it('say what is the matter, who answers, where to read on and what to type', () => {
    const alarms = alarmsOf(
      withQueue({
        runbookUrl: 'https://example.invalid/orders',
        moreAlarms: Object.values(AlarmKind),
      }),
    );
    expect(alarms.size).toBe(Object.values(AlarmKind).length);
    for (const [kind, { AlarmDescription }] of alarms)
      expect([kind, AlarmDescription]).toEqual([
        kind,
        expect.stringMatching(
          /^(WARNING|CRITICAL) · orders: .+\. Owner: shop team\. Runbook: https:\/\/example\.invalid\/orders Next: .{10}/,
        ),
      ]);
    expect(alarms.get('Presence')?.AlarmDescription).toMatch(/Next: npx redrive groups orders$/);
    expect(alarms.get('RunStopped')?.AlarmDescription).toMatch(/Next: npx redrive runs orders$/);
    expect(alarms.get('Expiry')?.AlarmDescription).toMatch(/Next: npx redrive plan orders --all$/);
  });

  it('tell when they are over, and are quiet without data (F31, F32)', () => {
    const alarms = alarmsOf(withQueue({ moreAlarms: Object.values(AlarmKind) }));
    expect(alarms.size).toBeGreaterThan(10);
    for (const { AlarmActions, OKActions, TreatMissingData } of alarms.values()) {
      expect(AlarmActions).toHaveLength(1);
      expect(OKActions).toEqual(AlarmActions);
      expect(TreatMissingData).toBe('notBreaching');
    }
  });

  it('read the visible depth at its maximum, never a sum of it, never sends (F28 to F30)', () => {
    const alarms = alarmsOf(withQueue({ moreAlarms: Object.values(AlarmKind) }));
    expect(alarms.get('Presence')).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Statistic: 'Maximum',
      Threshold: 1,
    });
    for (const { MetricName = '', Statistic, Metrics = [] } of alarms.values()) {
      const read = [
        { name: MetricName, statistic: Statistic },
        ...Metrics.map(({ MetricStat }) => ({
          name: MetricStat?.Metric.MetricName ?? '',
          statistic: MetricStat?.Stat,
        })),
      ];
      for (const { name, statistic } of read) {
        expect(name).not.toMatch(/MessagesSent/);
        if (name.startsWith('Approximate')) expect(statistic).toBe('Maximum');
      }
    }
  });

  it('see a flood though the presence alarm is red already', () => {
    const critical = alarmsOf(withQueue()).get('Growth');
    expect(critical?.Threshold).toBe(10);
    expect(critical?.Metrics?.[0]?.Expression).toBe('DIFF(FILL(depth, REPEAT))');
    const volume = withQueue({ alarmProfile: AlarmProfile.HIGH_VOLUME });
    expect(alarmsOf(volume).get('Growth')?.Threshold).toBe(100);
    expect(alarmsOf(volume).get('Depth')?.Threshold).toBe(1_000);
  });

  it('call a queue stalled only when messages age and none is done (F08)', () => {
    const stall = alarmsOf(withQueue()).get('Stall');
    expect(stall?.Metrics?.[0]?.Expression).toBe('IF(age >= 900 AND FILL(done, 0) < 1, 1, 0)');
    expect(stall?.Metrics).toHaveLength(3);
    expect(stall?.EvaluationPeriods).toBe(5);
  });

  it('come two days before a dead letter expires: its clock began with the first send (F33, F37)', () => {
    expect(alarmsOf(withQueue()).get('Expiry')?.Threshold).toBe((14 - 4 - 2) * 86_400);
    // In a FIFO queue the clock begins again with the move.
    const fifo = withQueue({ fifo: true, queueName: 'orders' });
    expect(alarmsOf(fifo).get('Expiry')?.Threshold).toBe((14 - 2) * 86_400);
    expect(alarmsOf(fifo).get('InFlight')?.Threshold).toBe(16_000);
  });

  it('compare failing receives with what is usual', () => {
    const spike = alarmsOf(withQueue({ alarmProfile: AlarmProfile.HIGH_VOLUME })).get('Spike');
    expect(spike).toMatchObject({ ComparisonOperator: 'GreaterThanUpperThreshold' });
    expect(spike?.Metrics?.map(({ Expression }) => Expression)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^ANOMALY_DETECTION_BAND\(m0, 2\)$/)]),
    );
  });

  it('begin where they are told to', () => {
    const alarms = alarmsOf(
      withQueue({
        moreAlarms: Object.values(AlarmKind),
        alarmThresholds: {
          depthThreshold: 7,
          arrivalsPerMinute: 3,
          failureSharePercent: 20,
          oldestAge: Duration.hours(2),
          expiryNotice: Duration.days(5),
          backlogTime: Duration.minutes(10),
          stallAge: Duration.minutes(2),
        },
      }),
    );
    const thresholds = ['Depth', 'Growth', 'FailureShare', 'Oldest', 'Expiry', 'Backlog'].map(
      (kind) => alarms.get(kind)?.Threshold,
    );
    expect(thresholds).toEqual([7, 3, 20, 7_200, 5 * 86_400, 10]);
    expect(alarms.get('Stall')?.Metrics?.[0]?.Expression).toContain('age >= 120');
  });

  it('watch a function once, however many queues feed it, and the library on each queue', () => {
    const shop = new Shop();
    const consumer = shop.consumer();
    shop.queue().addConsumer(consumer);
    shop.queue({}, 'Bills').addConsumer(consumer);
    const names = ofType(shop.resources(), 'AWS::CloudWatch::Alarm').map(
      ([, { Properties }]) => Properties['MetricName'],
    );
    const count = (name: string) => names.filter((other) => other === name).length;
    expect([count('Throttles'), count('RecursiveInvocationsDropped'), count('StoreErrors')]).toEqual([
      1, 1, 2,
    ]);
  });
});

describe('the topics of alarms', () => {
  it('are told apart by severity', () => {
    const shop = new Shop();
    shop
      .queue({
        queueName: 'orders',
        alarmTopic: new Topic(shop.stack, 'Chat'),
        criticalAlarmTopic: new Topic(shop.stack, 'Pager'),
      })
      .addConsumer(shop.consumer());
    const alarms = alarmsOf(shop.resources());
    expect(alarms.size).toBeGreaterThan(10);
    for (const { AlarmDescription, AlarmActions } of alarms.values())
      expect(AlarmActions[0]?.Ref).toMatch(AlarmDescription.startsWith('CRITICAL') ? /^Pager/ : /^Chat/);
  });

  it('let CloudWatch publish, though a policy of their own has taken the place of the default one', () => {
    const policy = only(withQueue(), /^RedriveAlarmsPolicy/).Properties['PolicyDocument'];
    expect(policy).toMatchObject({
      Statement: expect.arrayContaining([
        expect.objectContaining({
          Action: 'sns:Publish',
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    });
  });

  it('let CloudWatch use their key, once (F34)', () => {
    const shop = new Shop();
    const alarmTopic = new Topic(shop.stack, 'Chat', { masterKey: new Key(shop.stack, 'Key') });
    shop.queue({ alarmTopic });
    shop.queue({ alarmTopic }, 'Bills');
    const { Statement } = only(shop.resources(), /^Key/).Properties['KeyPolicy'] as {
      Statement: { Principal: { Service?: string }; Action: string[] }[];
    };
    const mine = Statement.filter(({ Principal }) => Principal.Service === 'cloudwatch.amazonaws.com');
    expect(mine.map(({ Action }) => Action)).toEqual([['kms:Decrypt', 'kms:GenerateDataKey*']]);
  });

  it('are refused under the key that nobody can let CloudWatch use', () => {
    const shop = new Shop();
    const alarmTopic = new Topic(shop.stack, 'Chat');
    (alarmTopic.node.defaultChild as unknown as { kmsMasterKeyId: string }).kmsMasterKeyId = 'alias/aws/sns';
    shop.queue({ alarmTopic });
    Annotations.fromStack(shop.stack).hasError(
      '/Shop/Orders/Alarms',
      Match.stringLikeRegexp('ALARM_TOPIC_KEY'),
    );
  });

  it('under a key of elsewhere are warned of', () => {
    const shop = new Shop();
    const masterKey = Key.fromKeyArn(shop.stack, 'Key', 'arn:aws:kms:eu-west-1:111122223333:key/1234');
    shop.queue({ alarmTopic: new Topic(shop.stack, 'Chat', { masterKey }) });
    Annotations.fromStack(shop.stack).hasWarning(
      '/Shop/Orders/Alarms',
      Match.stringLikeRegexp('let cloudwatch.amazonaws.com use kms:Decrypt'),
    );
  });
});
