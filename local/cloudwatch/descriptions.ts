import type { AlarmConfig } from './alarm';
import type { Alarm, StateChange } from './alarms';

type Answer = Record<string, unknown>;

/** An alarm as DescribeAlarms answers it. */
export function describeAlarm({ config, configuredAt, state, reason, changedAt }: Alarm): Answer {
  return {
    AlarmName: config.name,
    AlarmArn: config.arn,
    AlarmDescription: config.description,
    AlarmConfigurationUpdatedTimestamp: configuredAt / 1000,
    ActionsEnabled: config.actionsEnabled,
    AlarmActions: config.actions.ALARM,
    OKActions: config.actions.OK,
    InsufficientDataActions: config.actions.INSUFFICIENT_DATA,
    StateValue: state,
    StateReason: reason,
    StateUpdatedTimestamp: changedAt / 1000,
    StateTransitionedTimestamp: changedAt / 1000,
    ...('metrics' in config ? describeMetrics(config) : { AlarmRule: config.rule }),
  };
}

function describeMetrics(config: AlarmConfig): Answer {
  const { metrics, thresholdMetricId } = config;
  const query = metrics.length === 1 ? metrics[0]?.query : undefined;
  const extended = query !== undefined && /^p\d/.test(query.statistic);
  return {
    ...(query === undefined
      ? { Metrics: metrics.map(describeMetric) }
      : {
          Namespace: query.namespace,
          MetricName: query.name,
          Dimensions: dimensions(query.dimensions),
          Period: config.period,
          [extended ? 'ExtendedStatistic' : 'Statistic']: query.statistic,
        }),
    EvaluationPeriods: config.evaluationPeriods,
    DatapointsToAlarm: config.datapointsToAlarm,
    ...(thresholdMetricId === undefined
      ? { Threshold: config.threshold }
      : { ThresholdMetricId: thresholdMetricId }),
    ComparisonOperator: config.comparison,
    TreatMissingData: config.treatMissingData,
  };
}

function describeMetric({
  id,
  label,
  expression,
  query,
  period,
  returnData,
}: AlarmConfig['metrics'][number]): Answer {
  return {
    Id: id,
    Label: label,
    ReturnData: returnData,
    Expression: expression,
    Period: period,
    MetricStat:
      query === undefined
        ? undefined
        : {
            Metric: {
              Namespace: query.namespace,
              MetricName: query.name,
              Dimensions: dimensions(query.dimensions),
            },
            Period: query.period,
            Stat: query.statistic,
          },
  };
}

/** A change of state as DescribeAlarmHistory answers it. */
export function describeChange({ name, at, from, to, reason }: StateChange): Answer {
  return {
    AlarmName: name,
    Timestamp: at / 1000,
    HistoryItemType: 'StateUpdate',
    HistorySummary: `Alarm updated from ${from} to ${to}`,
    HistoryData: JSON.stringify({
      version: '1.0',
      oldState: { stateValue: from },
      newState: { stateValue: to, stateReason: reason },
    }),
  };
}

function dimensions(given: Readonly<Record<string, string>>): object[] {
  return Object.entries(given).map(([Name, Value]) => ({ Name, Value }));
}
