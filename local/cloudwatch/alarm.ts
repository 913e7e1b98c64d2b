import { type AlarmMetric, isBand, resolver } from './alarm-values';
import { type Band, type Points, pointsOf } from './math-value';
import type { MetricStore } from './metric-store';
import { type AlarmState, EXTRA_PERIODS, judge, type MissingData } from './missing-data';
import { reasonOf } from './reason';

export interface AlarmConfig {
  readonly name: string;
  readonly arn: string;
  readonly description?: string;
  readonly metrics: readonly AlarmMetric[];
  /** Seconds. */
  readonly period: number;
  /** Periods before the evaluation range that the expressions need, see `lookBackOf`. */
  readonly lookBack: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  /** Id of the band that takes the place of the threshold. */
  readonly thresholdMetricId?: string;
  readonly comparison: string;
  readonly treatMissingData: MissingData;
  readonly actionsEnabled: boolean;
  readonly actions: Readonly<Record<AlarmState, readonly string[]>>;
}

/** Periods before the evaluated ones on which differences and repeats look back, and those on which bands do. */
const LOOK_BACK = 15;
const BAND_LOOK_BACK = 60;
const WITH_PAST = /\b(DIFF|DIFF_TIME|RATE|RUNNING_SUM|REPEAT|LINEAR)\b/i;

const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};
export const BAND_COMPARISONS = [
  'LessThanLowerOrGreaterThanUpperThreshold',
  'LessThanLowerThreshold',
  'GreaterThanUpperThreshold',
];
export const THRESHOLD_COMPARISONS = Object.keys(COMPARISONS);

export interface Evaluation {
  /** Undefined: the state stays. */
  readonly state: AlarmState | undefined;
  /** Written only when it is asked for: most evaluations change nothing. */
  reason(): string;
}

/**
 * What an alarm is at the end of a period.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 */
export function evaluateAlarm(config: AlarmConfig, store: MetricStore, now: number): Evaluation {
  const { period, evaluationPeriods } = config;
  const range = evaluationPeriods + EXTRA_PERIODS;
  const length = range + config.lookBack;
  const until = Math.floor(now / (period * 1000)) * period * 1000;
  const from = until - length * period * 1000;
  const resolve = resolver(config.metrics, store, { from, until, period });
  const points = pointsOf(resolve(watchedId(config.metrics)), length);
  const breaching = breachesOf(config, points, resolve(config.thresholdMetricId ?? '') as Band);
  const state = judge(breaching.slice(-range), rulesOf(config));
  const reason = (): string => {
    const recent = points.map((value, index) => ({
      value,
      at: from + index * period * 1000,
      breaching: breaching[index],
    }));
    return reasonOf(config, state, recent.slice(-range));
  };
  return { state, reason };
}

/** AWS ignores missing data of DynamoDB's metrics, whatever the alarm says. */
function rulesOf(config: AlarmConfig) {
  const ofTables = config.metrics.some(({ query }) => query?.namespace === 'AWS/DynamoDB');
  return ofTables ? { ...config, treatMissingData: 'ignore' as const } : config;
}

/** Bands are made of past values; of the other functions only some know what came before. */
export function lookBackOf(metrics: readonly AlarmMetric[]): number {
  if (metrics.some(isBand)) return BAND_LOOK_BACK;
  return metrics.some(({ expression }) => WITH_PAST.test(expression ?? '')) ? LOOK_BACK : 0;
}

function breachesOf(config: AlarmConfig, points: Points, band: Band): (boolean | undefined)[] {
  const { comparison, threshold, thresholdMetricId } = config;
  if (thresholdMetricId === undefined)
    return points.map((value) =>
      value === undefined ? undefined : COMPARISONS[comparison]?.(value, threshold) === true,
    );
  return points.map((value, index) => {
    const lower = band.lower[index];
    const upper = band.upper[index];
    if (value === undefined || lower === undefined || upper === undefined) return undefined;
    return (
      (comparison.includes('GreaterThanUpper') && value > upper) ||
      (comparison.startsWith('LessThanLower') && value < lower)
    );
  });
}

/** The id of the metric that is compared. */
export function watchedId(metrics: readonly AlarmMetric[]): string {
  const returned = metrics.find((metric) => metric.returnData && !isBand(metric));
  return (returned ?? metrics[0])?.id ?? '';
}
