import { parseMetricMath } from './math-parser';
import { type Points, pointsOf, type Value } from './math-value';
import { evaluateMath } from './metric-math';
import type { MetricQuery, MetricStore } from './metric-store';

/** One entry of `Metrics` of an alarm, or of MetricDataQueries. */
export interface AlarmMetric {
  readonly id: string;
  readonly label?: string;
  readonly query?: MetricQuery;
  readonly expression?: string;
  /** Seconds, of an expression. */
  readonly period?: number;
  readonly returnData: boolean;
}

export interface Window {
  /** Milliseconds since the epoch; `until` is not part of it. */
  readonly from: number;
  readonly until: number;
  /** Seconds. */
  readonly period: number;
}

export function isBand({ expression }: AlarmMetric): boolean {
  return /^\s*ANOMALY_DETECTION_BAND/i.test(expression ?? '');
}

/** Answers the value of each metric and expression by its id, reading each of them at most once. */
export function resolver(
  metrics: readonly AlarmMetric[],
  store: MetricStore,
  { from, until, period }: Window,
): (id: string) => Value {
  const known = new Map<string, Value>();
  const length = Math.round((until - from) / (period * 1000));
  const resolve = (id: string): Value => {
    const cached = known.get(id);
    if (cached !== undefined) return cached;
    const metric = metrics.find((candidate) => candidate.id === id);
    const value = metric === undefined ? [] : read(metric);
    known.set(id, value);
    return value;
  };
  const read = ({ query, expression }: AlarmMetric): Value => {
    if (query !== undefined) return store.values({ ...query, period }, from, until);
    if (expression === undefined) return [];
    return evaluateMath(parseMetricMath(expression), { length, period, resolve, all });
  };
  const all = (part = ''): readonly Points[] =>
    metrics
      .filter(({ id, query }) => query !== undefined && id.includes(part))
      .map(({ id }) => pointsOf(resolve(id), length));
  return resolve;
}
