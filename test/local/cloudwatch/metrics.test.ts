import {
  CloudWatchClient,
  GetDashboardCommand,
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  ListMetricsCommand,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { createCloudWatch } from '../../../local/cloudwatch/cloudwatch';
import { createMetricStore } from '../../../local/cloudwatch/metric-store';
import { create, rig } from './gateway-rig';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 9);
const DAY = 24 * 60 * MINUTE;

async function start() {
  const base = rig();
  const store = createMetricStore(base.clock);
  const service = createCloudWatch(base.environment, { store, topics: base.ports, functions: base.ports });
  const options = await base.serve(service);
  return { ...base, store, service, options, client: new CloudWatchClient(options) };
}

const put = (value: number, more: object = {}) =>
  new PutMetricDataCommand({
    Namespace: 'App',
    MetricData: [{ MetricName: 'Time', Value: value, ...more }],
  });
const stat = (id: string, name: string, statistic: string, returned = true) => ({
  Id: id,
  ReturnData: returned,
  MetricStat: { Metric: { Namespace: 'App', MetricName: name }, Period: 60, Stat: statistic },
});

describe('metrics', () => {
  it('answers statistics of what was put, of single values, counted ones and sets', async () => {
    const { client } = await start();
    await client.send(put(4));
    await client.send(
      new PutMetricDataCommand({
        Namespace: 'App',
        MetricData: [
          { MetricName: 'Time', Values: [1, 10], Counts: [3, 1] },
          {
            MetricName: 'Time',
            StatisticValues: { SampleCount: 2, Sum: 30, Minimum: 12, Maximum: 18 },
          },
        ],
      }),
    );
    const { Datapoints } = await client.send(
      new GetMetricStatisticsCommand({
        Namespace: 'App',
        MetricName: 'Time',
        StartTime: new Date(START),
        EndTime: new Date(START + MINUTE),
        Period: 60,
        Statistics: ['Sum', 'SampleCount', 'Minimum', 'Maximum'],
      }),
    );
    expect(Datapoints).toMatchObject([
      { Timestamp: new Date(START), Sum: 47, SampleCount: 7, Minimum: 1, Maximum: 18 },
    ]);
  });

  it('computes expressions over several metrics, newest first', async () => {
    const { client, clock, store } = await start();
    for (const value of [1, 2, 3]) {
      store.put({ namespace: 'App', name: 'Failed', dimensions: {}, value });
      store.put({ namespace: 'App', name: 'All', dimensions: {}, value: 10 });
      await clock.advance(MINUTE);
    }
    const { MetricDataResults } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(START),
        EndTime: new Date(START + 3 * MINUTE),
        MetricDataQueries: [
          stat('failed', 'Failed', 'Sum', false),
          stat('all', 'All', 'Sum', false),
          { Id: 'rate', Expression: '100 * failed / all', Label: 'percent' },
        ],
      }),
    );
    expect(MetricDataResults).toMatchObject([
      {
        Id: 'rate',
        Label: 'percent',
        Values: [30, 20, 10],
        Timestamps: [2, 1, 0].map((minute) => new Date(START + minute * MINUTE)),
      },
    ]);
  });

  it('asks gauges once a minute, for the minute that ends', async () => {
    const { client, clock, store } = await start();
    let depth = 0;
    store.addSource(() => [{ namespace: 'App', name: 'Depth', dimensions: {}, value: ++depth }]);
    await clock.advance(3 * MINUTE + 30_000);
    const { MetricDataResults } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(START),
        EndTime: new Date(START + 5 * MINUTE),
        ScanBy: 'TimestampAscending',
        MetricDataQueries: [stat('depth', 'Depth', 'SampleCount'), stat('value', 'Depth', 'Maximum')],
      }),
    );
    expect(MetricDataResults?.map(({ Values }) => Values)).toEqual([
      [1, 1, 1],
      [1, 2, 3],
    ]);
  });

  it('lists by namespace, name and dimension', async () => {
    const { client } = await start();
    await client.send(put(1, { Dimensions: [{ Name: 'Queue', Value: 'a' }] }));
    await client.send(put(1, { Dimensions: [{ Name: 'Queue', Value: 'b' }] }));
    const list = async (dimensions: { Name: string; Value?: string }[]) =>
      (await client.send(new ListMetricsCommand({ Namespace: 'App', Dimensions: dimensions }))).Metrics
        ?.length;
    expect(await list([{ Name: 'Queue' }])).toBe(2);
    expect(await list([{ Name: 'Queue', Value: 'b' }])).toBe(1);
    expect(await list([{ Name: 'Topic' }])).toBe(0);
  });

  it.each([
    ['a time of three weeks ago', put(1, { Timestamp: new Date(START - 21 * DAY) }), /two weeks ago/],
    ['a value that is none', put(Number.NaN), /not a finite number/],
    ['a namespace of AWS', new PutMetricDataCommand({ Namespace: 'AWS/SQS', MetricData: [] }), /AWS\//],
  ])('refuses %s', async (_, command, message) => {
    const { client } = await start();
    await expect(client.send(command)).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(message),
    });
  });

  it('asks for the right to put, with the namespace', async () => {
    const { client, asked } = await start();
    await client.send(put(1));
    expect(asked).toMatchObject([
      { action: 'cloudwatch:PutMetricData', resource: '*', context: { 'cloudwatch:namespace': 'App' } },
    ]);
  });

  it('speaks the query protocol of the command line as well', async () => {
    const { options } = await start();
    const call = (parameters: Record<string, string>) =>
      fetch(options.endpoint, {
        method: 'POST',
        body: new URLSearchParams({ Version: '2010-08-01', ...parameters }),
        headers: {
          authorization:
            'AWS4-HMAC-SHA256 Credential=K/20260105/eu-west-1/monitoring/aws4_request, Signature=0',
        },
      });
    const alarm = await call({
      Action: 'PutMetricAlarm',
      AlarmName: 'a',
      Namespace: 'App',
      MetricName: 'Time',
      'Dimensions.member.1.Name': 'Queue',
      'Dimensions.member.1.Value': 'q',
      Statistic: 'Sum',
      Period: '60',
      EvaluationPeriods: '1',
      Threshold: '1.5',
      ComparisonOperator: 'GreaterThanThreshold',
    });
    expect(alarm.status).toBe(200);
    const described = await (await call({ Action: 'DescribeAlarms', 'AlarmNames.member.1': 'a' })).text();
    expect(described).toContain(
      '<Dimensions><member><Name>Queue</Name><Value>q</Value></member></Dimensions>',
    );
    expect(described).toContain('<Threshold>1.5</Threshold>');
    expect(described).toContain('<StateUpdatedTimestamp>2026-01-05T09:00:00.000Z</StateUpdatedTimestamp>');
    const wrong = await call({ Action: 'DeleteAlarms', 'AlarmNames.member.1': 'none' });
    expect([wrong.status, await wrong.text()]).toEqual([
      404,
      expect.stringContaining('<Code>ResourceNotFound</Code>'),
    ]);
  });

  it('keeps dashboards', async () => {
    const { client, service } = await start();
    await create(service, 'AWS::CloudWatch::Dashboard', {
      DashboardName: 'd',
      DashboardBody: '{"widgets":[]}',
    });
    const { DashboardBody } = await client.send(new GetDashboardCommand({ DashboardName: 'd' }));
    expect(DashboardBody).toBe('{"widgets":[]}');
    await expect(client.send(new GetDashboardCommand({ DashboardName: 'x' }))).rejects.toMatchObject({
      name: 'ResourceNotFound',
    });
  });

  it('lets two weeks with ten alarms and ten gauges pass, and forgets what is older than 15 days', async () => {
    const { clock, store, service } = await start();
    const names = Array.from({ length: 10 }, (_, index) => `gauge${index}`);
    store.addSource(() =>
      names.map((name) => ({ namespace: 'App', name, dimensions: { Queue: 'q' }, value: 1 })),
    );
    for (const name of names)
      await create(service, 'AWS::CloudWatch::Alarm', {
        AlarmName: name,
        Metrics: [
          { Id: 'e', Expression: 'IF(FILL(m, 0) > 5, 1, 0)' },
          {
            Id: 'm',
            ReturnData: false,
            MetricStat: {
              Metric: { Namespace: 'App', MetricName: name, Dimensions: [{ Name: 'Queue', Value: 'q' }] },
              Period: 60,
              Stat: 'Maximum',
            },
          },
        ],
        EvaluationPeriods: 5,
        Threshold: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      });
    for (let minute = 1; minute <= 14 * 24 * 60; minute++) {
      store.collect(START + minute * MINUTE);
      service.alarms.evaluate(START + minute * MINUTE);
    }
    expect([...service.alarms.all.values()].map(({ state }) => state)).toEqual(names.map(() => 'OK'));
    for (let day = 15; day < 18; day++) store.collect(START + day * DAY);
    const oldest = Math.min(...(store.list()[0]?.buckets.keys() ?? []));
    expect(oldest * MINUTE).toBeGreaterThan(START + 17 * DAY - 15 * DAY - MINUTE);
    expect(clock.now()).toBe(START);
  });
});
