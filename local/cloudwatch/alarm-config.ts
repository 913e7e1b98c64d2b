import { type AlarmConfig, type AlarmMetric, isComparison } from './alarm';
import { MetricMathError, parseMetricMath } from './metric-math';

type Json = Readonly<Record<string, unknown>>;

/** A wrong alarm, with the property that is wrong. */
export class AlarmError extends Error {
  override readonly name = 'AlarmError';
  constructor(
    readonly property: string,
    message: string,
  ) {
    super(message);
  }
}

export function dimensionsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    ((value ?? []) as { Name: string; Value: string }[]).map(({ Name, Value }) => [Name, String(Value)]),
  );
}

/** From the properties of the resource, or the parameters of PutMetricAlarm: they have the same names. */
export function alarmConfigOf(given: Json, name: string, arn: string): AlarmConfig {
  const metrics =
    given['Metrics'] === undefined ? [simple(given)] : (given['Metrics'] as Json[]).map(queryOf);
  const period = Number(
    given['Period'] ?? metrics.find((metric) => metric.query)?.query?.period ?? metrics[0]?.period ?? 60,
  );
  if (period % 60 !== 0) throw new AlarmError('Period', `${period} s is not emulated; multiples of 60 are`);
  for (const { expression } of metrics) if (expression !== undefined) checkExpression(expression);
  const comparison = String(given['ComparisonOperator']);
  if (!isComparison(comparison)) throw new AlarmError('ComparisonOperator', `'${comparison}' is unknown`);
  const evaluationPeriods = Number(given['EvaluationPeriods']);
  const list = (key: string): string[] => ((given[key] ?? []) as unknown[]).map(String);
  return {
    name,
    arn,
    metrics,
    period,
    evaluationPeriods,
    datapointsToAlarm: Number(given['DatapointsToAlarm'] ?? evaluationPeriods),
    threshold: Number(given['Threshold'] ?? 0),
    comparison,
    treatMissingData: (given['TreatMissingData'] ?? 'missing') as AlarmConfig['treatMissingData'],
    actionsEnabled: String(given['ActionsEnabled'] ?? true) === 'true',
    actions: {
      ALARM: list('AlarmActions'),
      OK: list('OKActions'),
      INSUFFICIENT_DATA: list('InsufficientDataActions'),
    },
    ...(given['AlarmDescription'] === undefined ? {} : { description: String(given['AlarmDescription']) }),
    ...(given['ThresholdMetricId'] === undefined
      ? {}
      : { thresholdMetricId: String(given['ThresholdMetricId']) }),
  };
}

function simple(given: Json): AlarmMetric {
  return {
    id: 'm',
    returnData: true,
    query: {
      namespace: String(given['Namespace']),
      name: String(given['MetricName']),
      dimensions: dimensionsOf(given['Dimensions']),
      statistic: String(given['Statistic'] ?? given['ExtendedStatistic']),
      period: Number(given['Period'] ?? 60),
    },
  };
}

/** One entry of `Metrics`, or of MetricDataQueries. */
export function queryOf(given: Json): AlarmMetric {
  const stat = given['MetricStat'] as Json | undefined;
  const metric = (stat?.['Metric'] ?? {}) as Json;
  return {
    id: String(given['Id']),
    returnData: String(given['ReturnData'] ?? true) === 'true',
    ...(given['Expression'] === undefined ? {} : { expression: String(given['Expression']) }),
    ...(given['Period'] === undefined ? {} : { period: Number(given['Period']) }),
    ...(stat === undefined
      ? {}
      : {
          query: {
            namespace: String(metric['Namespace']),
            name: String(metric['MetricName']),
            dimensions: dimensionsOf(metric['Dimensions']),
            statistic: String(stat['Stat']),
            period: Number(stat['Period']),
          },
        }),
  };
}

function checkExpression(expression: string): void {
  try {
    parseMetricMath(expression);
  } catch (error) {
    if (error instanceof MetricMathError) throw new AlarmError('Metrics', error.message);
    throw error;
  }
}
