import type { Clock } from '../clock/clock';
import type { MetricDatum, MetricSink } from '../gateway/service';

export const MINUTE = 60_000;
/** One-minute datapoints are kept for 15 days. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html */
const KEPT_MINUTES = 15 * 24 * 60;
const SAMPLES = 1_000;

interface Bucket {
  sum: number;
  count: number;
  minimum: number;
  maximum: number;
  /** For percentiles; the first thousand of the minute. */
  readonly values: number[];
}

export interface Series {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly buckets: Map<number, Bucket>;
}

export interface MetricQuery {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** Sum, Average, Minimum, Maximum, SampleCount or p0 to p100. */
  readonly statistic: string;
  /** Seconds, a multiple of 60. */
  readonly period: number;
}

/** What services report, in one-minute buckets. It exists before the services do. */
export class MetricStore implements MetricSink {
  private readonly series = new Map<string, Series>();
  private readonly sources: (() => Iterable<MetricDatum>)[] = [];

  constructor(private readonly clock: Clock) {}

  put(datum: MetricDatum): void {
    this.putAt(datum, this.clock.now());
  }

  putAt({ namespace, name, dimensions, value }: MetricDatum, at: number): void {
    const { buckets } = this.seriesOf(namespace, name, dimensions);
    const minute = Math.floor(at / MINUTE);
    const bucket = buckets.get(minute);
    if (bucket === undefined) {
      buckets.set(minute, { sum: value, count: 1, minimum: value, maximum: value, values: [value] });
      if (buckets.size > KEPT_MINUTES) buckets.delete(buckets.keys().next().value as number);
      return;
    }
    bucket.sum += value;
    bucket.count++;
    if (value < bucket.minimum) bucket.minimum = value;
    if (value > bucket.maximum) bucket.maximum = value;
    if (bucket.values.length < SAMPLES) bucket.values.push(value);
  }

  addSource(collect: () => Iterable<MetricDatum>): void {
    this.sources.push(collect);
  }

  /** Asks every gauge for the minute that ends at `at`. */
  collect(at: number): void {
    for (const source of this.sources) for (const datum of source()) this.putAt(datum, at - 1);
  }

  /** One value for each period from `from` on, before `until`; undefined where there is no data. */
  values(query: MetricQuery, from: number, until: number): (number | undefined)[] {
    const series = this.series.get(keyOf(query.namespace, query.name, query.dimensions));
    const length = query.period * 1000;
    const values: (number | undefined)[] = [];
    for (let start = from; start < until; start += length)
      values.push(
        series === undefined ? undefined : statisticOf(series, query.statistic, start, start + length),
      );
    return values;
  }

  list(): Series[] {
    return [...this.series.values()];
  }

  private seriesOf(namespace: string, name: string, dimensions: Readonly<Record<string, string>>): Series {
    const key = keyOf(namespace, name, dimensions);
    let series = this.series.get(key);
    if (series === undefined) {
      series = { namespace, name, dimensions, buckets: new Map() };
      this.series.set(key, series);
    }
    return series;
  }
}

function keyOf(namespace: string, name: string, dimensions: Readonly<Record<string, string>>): string {
  let key = `${namespace}\u0000${name}`;
  for (const dimension of Object.keys(dimensions).sort())
    key += `\u0000${dimension}\u0000${dimensions[dimension]}`;
  return key;
}

function statisticOf(
  { buckets }: Series,
  statistic: string,
  from: number,
  until: number,
): number | undefined {
  let sum = 0;
  let count = 0;
  let minimum = Number.POSITIVE_INFINITY;
  let maximum = Number.NEGATIVE_INFINITY;
  const values: number[] = [];
  const percentile = /^p(\d+(?:\.\d+)?)$/.exec(statistic);
  for (let minute = Math.floor(from / MINUTE); minute * MINUTE < until; minute++) {
    const bucket = buckets.get(minute);
    if (bucket === undefined) continue;
    sum += bucket.sum;
    count += bucket.count;
    minimum = Math.min(minimum, bucket.minimum);
    maximum = Math.max(maximum, bucket.maximum);
    if (percentile !== null) values.push(...bucket.values);
  }
  if (count === 0) return undefined;
  if (percentile !== null) {
    values.sort((a, b) => a - b);
    return values[Math.min(values.length - 1, Math.floor((Number(percentile[1]) / 100) * values.length))];
  }
  if (statistic === 'Sum') return sum;
  if (statistic === 'Average') return sum / count;
  if (statistic === 'Minimum') return minimum;
  if (statistic === 'Maximum') return maximum;
  if (statistic === 'SampleCount') return count;
  return undefined;
}
