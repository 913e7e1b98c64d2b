import { type AlarmConfig, BAND_COMPARISONS, lookBackOf, THRESHOLD_COMPARISONS, watchedId } from './alarm';
import type { AlarmMetric } from './alarm-values';
import { MetricMathError, parseMetricMath } from './math-parser';
import { namesIn } from './metric-math';
import { isStatistic } from './metric-store';
import type { MissingData } from './missing-data';

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

const MISSING_DATA: readonly string[] = ['missing', 'ignore', 'breaching', 'notBreaching'];

/** From the properties of the resource, or the parameters of PutMetricAlarm: they have the same names. */
export function alarmConfigOf(given: Json, name: string, arn: string): AlarmConfig {
  const metrics =
    given['Metrics'] === undefined ? [simple(given)] : (given['Metrics'] as Json[]).map(queryOf);
  const period = Number(
    given['Period'] ?? metrics.find((metric) => metric.query)?.query?.period ?? metrics[0]?.period ?? 60,
  );
  if (!(period >= 60) || period % 60 !== 0)
    throw new AlarmError('Period', `${period} s is not emulated; multiples of 60 are`);
  checkMetrics(metrics);
  const band = given['ThresholdMetricId'];
  const comparison = oneOf(
    given,
    'ComparisonOperator',
    band === undefined ? THRESHOLD_COMPARISONS : BAND_COMPARISONS,
  );
  if (band === undefined && given['Threshold'] === undefined)
    throw new AlarmError('Threshold', 'an alarm has a threshold, or a band as ThresholdMetricId');
  if (band !== undefined && !metrics.some(({ id }) => id === band))
    throw new AlarmError('ThresholdMetricId', `no metric has the id '${String(band)}'`);
  const evaluationPeriods = Number(given['EvaluationPeriods']);
  if (!(evaluationPeriods >= 1))
    throw new AlarmError('EvaluationPeriods', `must be 1 or more, but is ${given['EvaluationPeriods']}`);
  const datapointsToAlarm = Number(given['DatapointsToAlarm'] ?? evaluationPeriods);
  if (!(datapointsToAlarm >= 1 && datapointsToAlarm <= evaluationPeriods))
    throw new AlarmError(
      'DatapointsToAlarm',
      `must be 1 to ${evaluationPeriods}, but is ${datapointsToAlarm}`,
    );
  return {
    name,
    arn,
    metrics,
    period,
    lookBack: lookBackOf(metrics),
    evaluationPeriods,
    datapointsToAlarm,
    threshold: Number(given['Threshold'] ?? 0),
    comparison,
    treatMissingData: oneOf(
      { TreatMissingData: 'missing', ...given },
      'TreatMissingData',
      MISSING_DATA,
    ) as MissingData,
    ...actionsOf(given),
    ...(band === undefined ? {} : { thresholdMetricId: String(band) }),
  };
}

/** What metric alarms and composite ones have in common. */
export function actionsOf(given: Json): Pick<AlarmConfig, 'description' | 'actions' | 'actionsEnabled'> {
  const list = (key: string): string[] =>
    ((given[key] ?? []) as unknown[]).map((action) => {
      if (!['sns', 'lambda'].includes(String(action).split(':')[2] ?? ''))
        throw new AlarmError(key, `the action ${action} is not emulated; topics and functions are`);
      return String(action);
    });
  return {
    actionsEnabled: String(given['ActionsEnabled'] ?? true) === 'true',
    actions: {
      ALARM: list('AlarmActions'),
      OK: list('OKActions'),
      INSUFFICIENT_DATA: list('InsufficientDataActions'),
    },
    ...(given['AlarmDescription'] === undefined ? {} : { description: String(given['AlarmDescription']) }),
  };
}

function oneOf(given: Json, property: string, allowed: readonly string[]): string {
  const value = String(given[property]);
  if (allowed.includes(value)) return value;
  throw new AlarmError(property, `'${value}' is none of ${allowed.join(', ')}`);
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
    ...(given['Label'] === undefined ? {} : { label: String(given['Label']) }),
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

/** Refuses what could not be evaluated later. */
export function checkMetrics(metrics: readonly AlarmMetric[]): void {
  const ids = new Set(metrics.map(({ id }) => id));
  if (ids.size < metrics.length) throw new AlarmError('Metrics', 'two metrics have the same id');
  for (const { query } of metrics)
    if (query !== undefined && !isStatistic(query.statistic))
      throw new AlarmError(
        'Statistic',
        `'${query.statistic}' is not emulated; Sum, Average, Minimum, Maximum, SampleCount and p0 to p100 are`,
      );
  const reads = new Map(metrics.map(({ id, expression }) => [id, readBy(expression)]));
  for (const [id, names] of reads)
    for (const name of names)
      if (!ids.has(name)) throw new AlarmError('Metrics', `'${id}' reads '${name}', which is not there`);
  const visit = (id: string, trail: readonly string[]): void => {
    if (trail.includes(id))
      throw new AlarmError('Metrics', `expressions read each other: ${[...trail, id].join(' → ')}`);
    for (const name of reads.get(id) ?? []) visit(name, [...trail, id]);
  };
  for (const id of ids) visit(id, []);
  if (watchedId(metrics) === '') throw new AlarmError('Metrics', 'there is no metric');
}

function readBy(expression: string | undefined): readonly string[] {
  try {
    return expression === undefined ? [] : namesIn(parseMetricMath(expression));
  } catch (error) {
    if (error instanceof MetricMathError) throw new AlarmError('Metrics', error.message);
    throw error;
  }
}
