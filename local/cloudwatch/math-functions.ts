import { type Band, finite, isPoints, mapSeries, type Points, pointsOf, type Value } from './math-value';

/** How the empty periods of a FILL are filled. */
export type Filler = number | 'REPEAT' | 'LINEAR';

export interface FunctionContext {
  readonly length: number;
  /** Seconds. */
  readonly period: number;
}

/** Functions of values; FILL, METRICS and IF read their arguments in a way of their own. */
export const FUNCTIONS: Readonly<
  Record<string, (given: readonly Value[], context: FunctionContext) => Value>
> = {
  ABS: each(Math.abs),
  CEIL: each(Math.ceil),
  FLOOR: each(Math.floor),
  LOG: each(Math.log),
  LOG10: each(Math.log10),
  EXP: each(Math.exp),
  RATE: series((points, { period }) => steps(points, period, (change, seconds) => change / seconds)),
  DIFF: series((points, { period }) => steps(points, period, (change) => change)),
  DIFF_TIME: series((points, { period }) => steps(points, period, (_, seconds) => seconds)),
  RUNNING_SUM: series((points) => {
    let sum = 0;
    return points.map((value) => (sum += value ?? 0));
  }),
  TIME_SERIES: ([value = 0], { length }) => pointsOf(value, length),
  PERIOD: (_, { period }) => period,
  SUM: aggregate((values) => values.reduce((sum, value) => sum + value, 0)),
  AVG: aggregate(mean),
  MIN: aggregate((values) => Math.min(...values)),
  MAX: aggregate((values) => Math.max(...values)),
  STDDEV: aggregate(deviation),
  METRIC_COUNT: ([value = 0]) => (typeof value === 'object' && 'series' in value ? value.series.length : 1),
  ANOMALY_DETECTION_BAND: ([value = 0, deviations], { length }) =>
    band(pointsOf(value, length), typeof deviations === 'number' ? deviations : 2),
};

function each(change: (value: number) => number) {
  return ([value = 0]: readonly Value[], { length }: FunctionContext): Value =>
    typeof value === 'number'
      ? change(value)
      : mapSeries(value, length, (points) =>
          points.map((point) => (point === undefined ? undefined : finite(change(point)))),
        );
}

function series(change: (points: Points, context: FunctionContext) => Points) {
  return ([value = 0]: readonly Value[], context: FunctionContext): Value =>
    mapSeries(value, context.length, (points) => change(points, context));
}

/** One number over the time of one series; a series of one value for each period over several. */
function aggregate(reduce: (values: readonly number[]) => number) {
  return (given: readonly Value[], { length }: FunctionContext): Value => {
    const [first = 0, ...others] = given;
    if (others.length === 0 && typeof first === 'number') return first;
    if (others.length === 0 && isPoints(first)) {
      const present = first.filter((value): value is number => value !== undefined);
      return present.length === 0 ? new Array<undefined>(length).fill(undefined) : reduce(present);
    }
    const all = given.flatMap((value) =>
      typeof value === 'object' && 'series' in value ? value.series : [pointsOf(value, length)],
    );
    return Array.from({ length }, (_, index) => {
      const present = all.map((one) => one[index]).filter((value): value is number => value !== undefined);
      return present.length === 0 ? undefined : reduce(present);
    });
  };
}

/** From each value to the one before it, however long that is ago. */
function steps(points: Points, period: number, step: (change: number, seconds: number) => number): Points {
  let before: number | undefined;
  return points.map((value, index) => {
    if (value === undefined) return undefined;
    const previous = before;
    before = index;
    if (previous === undefined) return undefined;
    return step(value - (points[previous] as number), (index - previous) * period);
  });
}

export function filled(points: Points, filler: Filler): Points {
  if (filler !== 'REPEAT' && filler !== 'LINEAR') return points.map((value) => value ?? filler);
  let last: number | undefined;
  return points.map((value, index) => {
    if (value !== undefined) {
      last = index;
      return value;
    }
    if (last === undefined) return undefined;
    const from = points[last] as number;
    const next =
      filler === 'REPEAT' ? -1 : points.findIndex((later, at) => at > index && later !== undefined);
    if (next < 0) return filler === 'REPEAT' ? from : undefined;
    return from + (((points[next] as number) - from) * (index - last)) / (next - last);
  });
}

/**
 * Mean and standard deviation of what came before: not the model that AWS trains, which knows hours and weekdays,
 * but a band that a jump leaves as well.
 */
function band(points: Points, deviations: number): Band {
  const lower: (number | undefined)[] = [];
  const upper: (number | undefined)[] = [];
  const past: number[] = [];
  for (const value of points) {
    const known = past.length >= 2;
    const spread = known ? deviations * deviation(past) : 0;
    lower.push(known ? mean(past) - spread : undefined);
    upper.push(known ? mean(past) + spread : undefined);
    if (value !== undefined) past.push(value);
  }
  return { lower, upper };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / values.length);
}
