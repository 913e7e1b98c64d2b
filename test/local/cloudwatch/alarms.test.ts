import {
  CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  DisableAlarmActionsCommand,
  PutMetricDataCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { type CloudWatchService, createCloudWatch } from '../../../local/cloudwatch/cloudwatch';
import { createMetricStore, type MetricStore } from '../../../local/cloudwatch/metric-store';
import { createSns } from '../../../local/sns/sns';
import { create, functionArn, queueArn, type Rig, rig, topicArn } from './gateway-rig';

const MINUTE = 60_000;

interface Started extends Rig {
  readonly store: MetricStore;
  readonly service: CloudWatchService;
  readonly client: CloudWatchClient;
  put(value: number): void;
  state(name?: string): string | undefined;
}

async function start(): Promise<Started> {
  const base = rig();
  const store = createMetricStore(base.clock);
  const topics = createSns(base.environment, { queues: base.ports, functions: base.ports });
  create(topics, 'AWS::SNS::Topic', {
    TopicName: 'alarms',
    Subscription: [{ Protocol: 'sqs', Endpoint: queueArn('operators') }],
  });
  create(topics, 'AWS::SNS::Topic', { TopicName: 'locked', KmsMasterKeyId: 'alias/aws/sns' });
  const service = createCloudWatch(base.environment, { store, topics, functions: base.ports });
  const client = new CloudWatchClient(await base.serve(service));
  return {
    ...base,
    store,
    service,
    client,
    put: (value) => store.put({ namespace: 'App', name: 'Depth', dimensions: { Queue: 'q' }, value }),
    state: (name = 'deep') => service.alarms.all.get(name)?.state,
  };
}

const DEEP = {
  AlarmName: 'deep',
  AlarmDescription: 'too many',
  Namespace: 'App',
  MetricName: 'Depth',
  Dimensions: [{ Name: 'Queue', Value: 'q' }],
  Statistic: 'Maximum',
  Period: 60,
  EvaluationPeriods: 1,
  Threshold: 5,
  ComparisonOperator: 'GreaterThanThreshold',
  TreatMissingData: 'notBreaching',
  AlarmActions: [topicArn('alarms'), functionArn('page')],
  OKActions: [topicArn('alarms')],
};

describe('an alarm', () => {
  it('tells a topic and its queue, and a function, what AWS tells them', async () => {
    const { service, put, clock, ports, eventsOf } = await start();
    create(service, 'AWS::CloudWatch::Alarm', DEEP);
    put(7);
    await clock.advance(MINUTE);

    expect(ports.sent.map(({ queue }) => queue)).toEqual(['operators']);
    const envelope = JSON.parse(ports.sent[0]?.message.body ?? '');
    expect(envelope).toMatchObject({
      Type: 'Notification',
      TopicArn: topicArn('alarms'),
      Subject: 'ALARM: "deep" in eu-west-1',
    });
    expect(JSON.parse(envelope.Message)).toMatchObject({
      AlarmName: 'deep',
      AlarmDescription: 'too many',
      AWSAccountId: '123456789012',
      OldStateValue: 'INSUFFICIENT_DATA',
      NewStateValue: 'ALARM',
      NewStateReason:
        'Threshold Crossed: 1 out of the last 1 datapoint [7.0 (05/01/26 09:00:00)] was greater than the threshold (5.0) (minimum 1 datapoint for OK -> ALARM transition).',
      StateChangeTime: '2026-01-05T09:01:00.000+0000',
      Region: 'eu-west-1',
      AlarmArn: 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:deep',
      Trigger: {
        MetricName: 'Depth',
        Namespace: 'App',
        StatisticType: 'Statistic',
        Statistic: 'MAXIMUM',
        Dimensions: [{ name: 'Queue', value: 'q' }],
        Period: 60,
        Threshold: 5,
      },
    });
    expect(ports.invoked).toMatchObject([
      { name: 'page', payload: { source: 'aws.cloudwatch', alarmData: { state: { value: 'ALARM' } } } },
    ]);
    expect(eventsOf('cloudwatch.alarm')).toMatchObject([
      { alarmName: 'deep', from: 'INSUFFICIENT_DATA', to: 'ALARM' },
    ]);
  });

  it('stays on while the last datapoint is still in its range, then goes back once', async () => {
    const { service, put, clock, ports, state } = await start();
    create(service, 'AWS::CloudWatch::Alarm', DEEP);
    put(7);
    await clock.advance(3 * MINUTE);
    expect(state()).toBe('ALARM');
    await clock.advance(MINUTE);
    expect(state()).toBe('OK');
    await clock.advance(10 * MINUTE);
    expect(ports.sent).toHaveLength(2);
    expect(JSON.parse(JSON.parse(ports.sent[1]?.message.body ?? '').Message).NewStateReason).toBe(
      'Threshold Crossed: no datapoints were received for 1 period and 1 missing datapoint was treated as [NonBreaching].',
    );
  });

  it('is never told to a topic under the key that AWS manages', async () => {
    const { service, put, clock, ports, state, eventsOf } = await start();
    create(service, 'AWS::CloudWatch::Alarm', { ...DEEP, AlarmActions: [topicArn('locked')], OKActions: [] });
    put(7);
    await clock.advance(MINUTE);
    expect(state()).toBe('ALARM');
    expect(ports.sent).toEqual([]);
    expect(eventsOf('sns.dropped')).toMatchObject([{ topicArn: topicArn('locked') }]);
  });

  it('judges at the end of its own period, over all of it', async () => {
    const { service, put, clock, state } = await start();
    create(service, 'AWS::CloudWatch::Alarm', { ...DEEP, Period: 300, Statistic: 'Sum' });
    for (let minute = 0; minute < 4; minute++) {
      put(2);
      await clock.advance(MINUTE);
    }
    expect(state()).toBe('INSUFFICIENT_DATA');
    await clock.advance(MINUTE);
    expect(state()).toBe('ALARM');
  });

  it('keeps its state for gaps in the metrics of tables, whatever it says', async () => {
    const { service, store, clock, state } = await start();
    create(service, 'AWS::CloudWatch::Alarm', { ...DEEP, Namespace: 'AWS/DynamoDB', Dimensions: [] });
    store.put({ namespace: 'AWS/DynamoDB', name: 'Depth', dimensions: {}, value: 9 });
    await clock.advance(60 * MINUTE);
    expect(state()).toBe('ALARM');
  });

  it('watches an expression', async () => {
    const { service, put, clock, state } = await start();
    create(service, 'AWS::CloudWatch::Alarm', {
      AlarmName: 'grows',
      Metrics: [
        { Id: 'growth', Expression: 'DIFF(FILL(depth, REPEAT))' },
        {
          Id: 'depth',
          ReturnData: false,
          MetricStat: {
            Metric: { Namespace: 'App', MetricName: 'Depth', Dimensions: [{ Name: 'Queue', Value: 'q' }] },
            Period: 60,
            Stat: 'Maximum',
          },
        },
      ],
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
    });
    put(3);
    await clock.advance(MINUTE);
    expect(state('grows')).toBe('INSUFFICIENT_DATA');
    await clock.advance(2 * MINUTE);
    expect(state('grows')).toBe('OK');
    put(4);
    await clock.advance(MINUTE);
    expect(state('grows')).toBe('ALARM');
  });

  it('watches a band', async () => {
    const { service, put, clock, state } = await start();
    create(service, 'AWS::CloudWatch::Alarm', {
      AlarmName: 'odd',
      Metrics: [
        {
          Id: 'm1',
          MetricStat: {
            Metric: { Namespace: 'App', MetricName: 'Depth', Dimensions: [{ Name: 'Queue', Value: 'q' }] },
            Period: 60,
            Stat: 'Average',
          },
        },
        { Id: 'band', Expression: 'ANOMALY_DETECTION_BAND(m1, 2)' },
      ],
      ThresholdMetricId: 'band',
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanUpperThreshold',
    });
    for (let minute = 0; minute < 20; minute++) {
      put(10 + (minute % 3));
      await clock.advance(MINUTE);
    }
    expect(state('odd')).toBe('OK');
    put(50);
    await clock.advance(MINUTE);
    expect(state('odd')).toBe('ALARM');
  });

  it.each([
    [{ Period: 10 }, 'Period', /multiples of 60/],
    [{ Statistic: 'tm99' }, 'Statistic', /'tm99' is not emulated/],
    [{ ComparisonOperator: 'Above' }, 'ComparisonOperator', /'Above' is none of/],
    [{ TreatMissingData: 'zero' }, 'TreatMissingData', /'zero' is none of/],
    [{ DatapointsToAlarm: 2 }, 'DatapointsToAlarm', /must be 1 to 1/],
    [{ AlarmActions: ['arn:aws:automate:eu-west-1:ec2:stop'] }, 'AlarmActions', /topics and functions are/],
    [{ Metrics: [{ Id: 'e', Expression: 'm1 + 1' }] }, 'Metrics', /'e' reads 'm1'/],
    [{ Metrics: [{ Id: 'e', Expression: 'e + 1' }] }, 'Metrics', /e → e/],
    [{ Metrics: [{ Id: 'e', Expression: 'SEARCH("a")' }] }, 'Metrics', /SEARCH is not emulated/],
  ])('is refused with %j', async (wrong, property, message) => {
    const { service } = await start();
    expect(() => create(service, 'AWS::CloudWatch::Alarm', { ...DEEP, ...wrong })).toThrow(
      expect.objectContaining({ property, message: expect.stringMatching(message) }),
    );
  });
});

describe('a composite alarm', () => {
  it('follows the alarms in its rule at once, also through another one', async () => {
    const { service, client, state, ports } = await start();
    for (const name of ['a', 'b'])
      create(service, 'AWS::CloudWatch::Alarm', {
        ...DEEP,
        AlarmName: name,
        AlarmActions: [],
        OKActions: [],
      });
    create(service, 'AWS::CloudWatch::CompositeAlarm', {
      AlarmName: 'outer',
      AlarmRule: 'ALARM(inner) OR FALSE',
      AlarmActions: [topicArn('alarms')],
    });
    create(service, 'AWS::CloudWatch::CompositeAlarm', {
      AlarmName: 'inner',
      AlarmRule: `(ALARM("arn:aws:cloudwatch:eu-west-1:123456789012:alarm:a") AND NOT OK("b"))`,
    });
    const set = (name: string, value: 'OK' | 'ALARM') =>
      client.send(new SetAlarmStateCommand({ AlarmName: name, StateValue: value, StateReason: 'test' }));
    await set('b', 'OK');
    await set('a', 'ALARM');
    expect(state('outer')).toBe('OK');
    await set('b', 'ALARM');
    expect(state('outer')).toBe('ALARM');
    expect(JSON.parse(JSON.parse(ports.sent[0]?.message.body ?? '').Message)).toMatchObject({
      AlarmName: 'outer',
      AlarmRule: 'ALARM(inner) OR FALSE',
    });
  });

  it.each(['ALARM(a) XOR ALARM(b)', '(ALARM(a)', 'ALARM(a) AND', 'a'])('is refused: %s', async (rule) => {
    const { service } = await start();
    expect(() =>
      create(service, 'AWS::CloudWatch::CompositeAlarm', { AlarmName: 'c', AlarmRule: rule }),
    ).toThrow(expect.objectContaining({ property: 'AlarmRule' }));
  });
});

describe('alarms through the API', () => {
  it('are described with their history, and do nothing while their actions are off', async () => {
    const { service, client, clock, ports, put } = await start();
    create(service, 'AWS::CloudWatch::Alarm', DEEP);
    await client.send(new DisableAlarmActionsCommand({ AlarmNames: ['deep'] }));
    await client.send(
      new PutMetricDataCommand({
        Namespace: 'App',
        MetricData: [{ MetricName: 'Depth', Dimensions: [{ Name: 'Queue', Value: 'q' }], Value: 9 }],
      }),
    );
    await clock.advance(MINUTE);
    put(1);
    await clock.advance(MINUTE);
    expect(ports.sent).toEqual([]);

    const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({ AlarmNames: ['deep'] }));
    expect(MetricAlarms).toMatchObject([
      { StateValue: 'OK', Threshold: 5, Statistic: 'Maximum', ActionsEnabled: false },
    ]);
    expect(MetricAlarms?.[0]?.StateUpdatedTimestamp).toEqual(new Date(clock.now()));
    const { AlarmHistoryItems } = await client.send(new DescribeAlarmHistoryCommand({ AlarmName: 'deep' }));
    expect(AlarmHistoryItems?.map(({ HistorySummary }) => HistorySummary)).toEqual([
      'Alarm updated from ALARM to OK',
      'Alarm updated from INSUFFICIENT_DATA to ALARM',
    ]);
  });

  it('answers with the name of the error', async () => {
    const { client, denied } = await start();
    const set = new SetAlarmStateCommand({ AlarmName: 'none', StateValue: 'OK', StateReason: 'x' });
    await expect(client.send(set)).rejects.toMatchObject({ name: 'ResourceNotFound' });
    denied.add('cloudwatch:SetAlarmState');
    await expect(client.send(set)).rejects.toMatchObject({
      name: 'AccessDenied',
      message: 'may not cloudwatch:SetAlarmState',
    });
  });
});
