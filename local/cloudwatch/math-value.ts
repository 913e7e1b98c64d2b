/** One value for each period; undefined where there is none. */
export type Points = readonly (number | undefined)[];

export interface Band {
  readonly lower: Points;
  readonly upper: Points;
}

/** Several time series at once, as `METRICS()` and `[a, b]` give them. */
export interface Many {
  readonly series: readonly Points[];
}

export type Value = number | Points | Band | Many;

export function isPoints(value: Value): value is Points {
  return Array.isArray(value);
}

/** A value as one time series: a number stands in every period, of a band its upper edge counts. */
export function pointsOf(value: Value, length: number): Points {
  if (typeof value === 'number') return new Array<number>(length).fill(value);
  if (isPoints(value)) return value;
  if ('upper' in value) return value.upper;
  return value.series[0] ?? new Array<undefined>(length).fill(undefined);
}

/** Applies a function to a time series, or to each of several. */
export function mapSeries(value: Value, length: number, change: (points: Points) => Points): Value {
  if (typeof value === 'object' && 'series' in value) return { series: value.series.map(change) };
  return change(pointsOf(value, length));
}

/** Division by nothing is no datapoint. */
export function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
