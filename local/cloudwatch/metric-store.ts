import type { Clock } from '../clock/clock';
import type { MetricDatum, MetricSink } from '../gateway/service';

export const MINUTE = 60_000;
/** Everything is kept in minutes for 15 days, which is how long AWS keeps those. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html */
const KEPT_MINUTES = 15 * 24 * 60;
const SAMPLES = 1_000;
const NONE: readonly never[] = [];

/** Several values that were counted elsewhere. */
export interface StatisticSet {
  readonly sum: number;
  readonly count: number;
  readonly minimum: number;
  readonly maximum: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Bucket extends Writable<StatisticSet> {
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

/** Sum, Average, Minimum, Maximum, SampleCount, and p0 to p100 of the first thousand values of each minute. */
export function isStatistic(statistic: string): boolean {
  return /^(Sum|Average|Minimum|Maximum|SampleCount|p(100|\d{1,2})(\.\d+)?)$/.test(statistic);
}

/** The store stands before every service that reports into it, and is handed to the CloudWatch service. */
export function createMetricStore(clock: Clock): MetricStore {
  return new MetricStore(clock);
}

/** What services report, in one-minute buckets. It exists before the services do. */
export class MetricStore implements MetricSink {
  private readonly series = new Map<string, Series>();
  private readonly sources: (() => Iterable<MetricDatum>)[] = [];

  constructor(private readonly clock: Clock) {}

  put(datum: MetricDatum): void {
    this.putAt(datum, this.clock.now());
  }

  /** `repeat` counts the value that many times. */
  putAt(datum: MetricDatum, at: number, repeat = 1): void {
    const { value } = datum;
    const set = { sum: value * repeat, count: repeat, minimum: value, maximum: value };
    const { values } = this.add(datum, set, at);
    for (let index = 0; index < repeat && values.length < SAMPLES; index++) values.push(value);
  }

  /** Percentiles do not know these values, as on AWS. */
  putSet(datum: Omit<MetricDatum, 'value'>, set: StatisticSet, at: number): void {
    this.add(datum, set, at);
  }

  private add(
    { namespace, name, dimensions }: Omit<MetricDatum, 'value'>,
    set: StatisticSet,
    at: number,
  ): Bucket {
    const { buckets } = this.seriesOf(namespace, name, dimensions);
    const minute = Math.floor(at / MINUTE);
    const bucket = buckets.get(minute);
    if (bucket === undefined) {
      const added: Bucket = { ...set, values: [] };
      buckets.set(minute, added);
      for (const oldest of buckets.keys()) {
        if (oldest > minute - KEPT_MINUTES) break;
        buckets.delete(oldest);
      }
      return added;
    }
    bucket.sum += set.sum;
    bucket.count += set.count;
    bucket.minimum = Math.min(bucket.minimum, set.minimum);
    bucket.maximum = Math.max(bucket.maximum, set.maximum);
    return bucket;
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
    const read = readerOf(query.statistic);
    const values: (number | undefined)[] = [];
    for (let start = from; start < until; start += length) {
      const buckets = series === undefined ? NONE : bucketsOf(series, start, start + length);
      values.push(buckets.length === 0 ? undefined : read(buckets));
    }
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

function bucketsOf({ buckets }: Series, from: number, until: number): readonly Bucket[] {
  if (until - from === MINUTE && from % MINUTE === 0) {
    const bucket = buckets.get(from / MINUTE);
    return bucket === undefined ? NONE : [bucket];
  }
  const found: Bucket[] = [];
  for (let minute = Math.floor(from / MINUTE); minute * MINUTE < until; minute++) {
    const bucket = buckets.get(minute);
    if (bucket !== undefined) found.push(bucket);
  }
  return found;
}

type Reader = (buckets: readonly Bucket[]) => number | undefined;

const sumOf = (buckets: readonly Bucket[]) => buckets.reduce((total, { sum }) => total + sum, 0);
const countOf = (buckets: readonly Bucket[]) => buckets.reduce((total, { count }) => total + count, 0);

const READERS: Readonly<Record<string, Reader>> = {
  Sum: sumOf,
  SampleCount: countOf,
  Average: (buckets) => sumOf(buckets) / countOf(buckets),
  Minimum: (buckets) => Math.min(...buckets.map(({ minimum }) => minimum)),
  Maximum: (buckets) => Math.max(...buckets.map(({ maximum }) => maximum)),
};

function readerOf(statistic: string): Reader {
  const known = READERS[statistic];
  if (known !== undefined) return known;
  const share = Number(statistic.slice(1)) / 100;
  return (buckets) => {
    const values = buckets.flatMap((bucket) => bucket.values).sort((a, b) => a - b);
    return values[Math.min(values.length - 1, Math.floor(share * values.length))];
  };
}
