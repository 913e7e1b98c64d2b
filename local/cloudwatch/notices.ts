import type { Environment } from '../gateway/service';
import type { AlarmConfig } from './alarm';
import type { Alarm } from './alarms';
import type { AlarmState } from './missing-data';

/**
 * What a topic gets when an alarm changes its state. AWS writes the long name of the region, this its code.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-actions.html
 */
export function topicNotice(
  { clock, account, region }: Environment,
  { config, state, reason, configuredAt }: Alarm,
  from: AlarmState,
): { readonly subject: string; readonly body: string } {
  const body = {
    AlarmName: config.name,
    AlarmDescription: config.description ?? null,
    AWSAccountId: account,
    AlarmConfigurationUpdatedTimestamp: stamp(configuredAt),
    NewStateValue: state,
    NewStateReason: reason,
    StateChangeTime: stamp(clock.now()),
    Region: region,
    AlarmArn: config.arn,
    OldStateValue: from,
    OKActions: config.actions.OK,
    AlarmActions: config.actions.ALARM,
    InsufficientDataActions: config.actions.INSUFFICIENT_DATA,
    ...('metrics' in config ? { Trigger: triggerOf(config) } : { AlarmRule: config.rule }),
  };
  return { subject: `${state}: "${config.name}" in ${region}`.slice(0, 100), body: JSON.stringify(body) };
}

/** What a function gets: another shape than that of a topic. */
export function functionNotice(
  { clock, account, region }: Environment,
  { config, state, reason }: Alarm,
  from: AlarmState,
): string {
  const timestamp = stamp(clock.now());
  return JSON.stringify({
    source: 'aws.cloudwatch',
    alarmArn: config.arn,
    accountId: account,
    time: timestamp,
    region,
    alarmData: {
      alarmName: config.name,
      state: { value: state, reason, timestamp },
      previousState: { value: from },
      configuration: {
        description: config.description,
        ...('metrics' in config
          ? { metrics: metricsOf(config) }
          : { alarmRule: config.rule, alarmActions: config.actions.ALARM }),
      },
    },
  });
}

function metricsOf({ metrics }: AlarmConfig): object[] {
  return metrics.map(({ id, expression, query, returnData }) => ({
    id,
    returnData,
    ...(expression === undefined ? {} : { expression }),
    ...(query === undefined
      ? {}
      : {
          metricStat: {
            metric: { namespace: query.namespace, name: query.name, dimensions: query.dimensions },
            period: query.period,
            stat: query.statistic,
          },
        }),
  }));
}

function triggerOf(config: AlarmConfig): object {
  const query = config.metrics[0]?.query;
  const simple = config.metrics.length === 1 ? query : undefined;
  const extended = simple !== undefined && /^p\d/.test(simple.statistic);
  return {
    ...(simple === undefined
      ? { Metrics: metricsOf(config).map(capitalised) }
      : {
          MetricName: simple.name,
          Namespace: simple.namespace,
          StatisticType: extended ? 'ExtendedStatistic' : 'Statistic',
          [extended ? 'ExtendedStatistic' : 'Statistic']: extended
            ? simple.statistic
            : STATISTICS[simple.statistic],
          Unit: null,
          Dimensions: Object.entries(simple.dimensions).map(([name, value]) => ({ value, name })),
        }),
    Period: config.period,
    EvaluationPeriods: config.evaluationPeriods,
    DatapointsToAlarm: config.datapointsToAlarm,
    ComparisonOperator: config.comparison,
    Threshold: config.threshold,
    TreatMissingData: config.treatMissingData,
    EvaluateLowSampleCountPercentile: '',
  };
}

const STATISTICS: Readonly<Record<string, string>> = {
  Sum: 'SUM',
  Average: 'AVERAGE',
  Minimum: 'MINIMUM',
  Maximum: 'MAXIMUM',
  SampleCount: 'SAMPLE_COUNT',
};

function capitalised(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      name === 'metricStat' ? capitalised(inner as object) : inner,
    ]),
  );
}

/** `2026-01-05T09:00:00.000+0000`, as alarms write it. */
function stamp(at: number): string {
  return new Date(at).toISOString().replace('Z', '+0000');
}
