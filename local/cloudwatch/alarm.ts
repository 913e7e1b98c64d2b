import { type Band, evaluateMath, type Points, parseMetricMath, pointsOf, type Value } from './metric-math';
import type { MetricQuery, MetricStore } from './metric-store';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export interface AlarmMetric {
  readonly id: string;
  readonly query?: MetricQuery;
  readonly expression?: string;
  readonly period?: number;
  readonly returnData: boolean;
}

export interface AlarmConfig {
  readonly name: string;
  readonly arn: string;
  readonly description?: string;
  readonly metrics: readonly AlarmMetric[];
  /** Seconds. */
  readonly period: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  /** Id of the band that takes the place of the threshold. */
  readonly thresholdMetricId?: string;
  readonly comparison: string;
  readonly treatMissingData: 'missing' | 'ignore' | 'breaching' | 'notBreaching';
  readonly actionsEnabled: boolean;
  readonly actions: Readonly<Record<AlarmState, readonly string[]>>;
}

/** Periods before the evaluated ones that differences, repeats and bands look back on. */
const LOOK_BACK = 15;

const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

export function isComparison(name: string): boolean {
  return (
    name in COMPARISONS || /^(LessThanLowerOr)?GreaterThanUpperThreshold$|^LessThanLowerThreshold$/.test(name)
  );
}

export interface Evaluation {
  /** Undefined: the state stays. */
  readonly state: AlarmState | undefined;
  readonly reason: string;
}

/**
 * What an alarm is at the end of a period.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 */
export function evaluateAlarm(config: AlarmConfig, store: MetricStore, now: number): Evaluation {
  const { period, evaluationPeriods, datapointsToAlarm, treatMissingData } = config;
  const length = evaluationPeriods + LOOK_BACK;
  const until = Math.floor(now / (period * 1000)) * period * 1000;
  const values = valuesOf(config.metrics, store, until - length * period * 1000, until, period);
  const watched = pointsOf(values.watched, length).slice(-evaluationPeriods);
  const band =
    config.thresholdMetricId === undefined ? undefined : (values.resolve(config.thresholdMetricId) as Band);
  const present = watched.filter((value) => value !== undefined).length;
  const missing = evaluationPeriods - present;
  let breaching = 0;
  watched.forEach((value, index) => {
    if (value === undefined) return;
    const at = length - evaluationPeriods + index;
    if (breaches(config, value, band, at)) breaching++;
  });
  const counted = breaching + (treatMissingData === 'breaching' ? missing : 0);
  if (counted >= datapointsToAlarm)
    return {
      state: 'ALARM',
      reason: `Threshold Crossed: ${counted} of ${evaluationPeriods} datapoints were ${words(config)} (minimum ${datapointsToAlarm}).`,
    };
  if (present === 0 && treatMissingData === 'missing')
    return { state: 'INSUFFICIENT_DATA', reason: 'Insufficient Data: no datapoints were received.' };
  if (present === 0 && treatMissingData === 'ignore') return { state: undefined, reason: 'no data' };
  return {
    state: 'OK',
    reason: `Threshold Crossed: ${counted} of ${evaluationPeriods} datapoints were ${words(config)}.`,
  };
}

function breaches(config: AlarmConfig, value: number, band: Band | undefined, index: number): boolean {
  if (band !== undefined) {
    const lower = band.lower[index];
    const upper = band.upper[index];
    if (lower === undefined || upper === undefined) return false;
    return (
      (config.comparison.includes('GreaterThanUpper') && value > upper) ||
      (config.comparison.startsWith('LessThanLower') && value < lower)
    );
  }
  return COMPARISONS[config.comparison]?.(value, config.threshold) === true;
}

/** Values of every metric and expression, and of the one that is returned. */
export function valuesOf(
  metrics: readonly AlarmMetric[],
  store: MetricStore,
  from: number,
  until: number,
  period: number,
) {
  const known = new Map<string, Value>();
  const length = Math.round((until - from) / (period * 1000));
  const resolve = (id: string): Value => {
    const cached = known.get(id);
    if (cached !== undefined) return cached;
    const metric = metrics.find((candidate) => candidate.id === id);
    let value: Value = new Array(length).fill(undefined) as Points;
    if (metric?.query !== undefined) value = store.values({ ...metric.query, period }, from, until);
    else if (metric?.expression !== undefined)
      value = evaluateMath(parseMetricMath(metric.expression), {
        length,
        period,
        resolve,
        all: () =>
          metrics
            .filter(({ query }) => query !== undefined)
            .map(({ id: other }) => pointsOf(resolve(other), length)),
      });
    known.set(id, value);
    return value;
  };
  const returned = metrics.find(
    ({ returnData, expression }) => returnData && !/^\s*ANOMALY_DETECTION_BAND/i.test(expression ?? ''),
  );
  return { watched: resolve(returned?.id ?? metrics[0]?.id ?? ''), resolve };
}

function words({ comparison, threshold }: AlarmConfig): string {
  return `${comparison
    .replace(/([A-Z])/g, ' $1')
    .trim()
    .toLowerCase()} (${threshold})`;
}
