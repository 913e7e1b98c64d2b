import type { Clock } from '../clock/clock';
import { AlarmError, checkMetrics, dimensionsOf, queryOf } from './alarm-config';
import { resolver } from './alarm-values';
import { pointsOf } from './math-value';
import { isStatistic, type MetricStore } from './metric-store';

type Json = Readonly<Record<string, unknown>>;
type Answer = Record<string, unknown>;

const PUT_PAST_MS = 14 * 24 * 3_600_000;
const PUT_AHEAD_MS = 2 * 3_600_000;
/** Most datapoints that one GetMetricStatistics answers. */
const MAXIMUM_POINTS = 1_440;

/** Operations that write and read metrics. */
export class Datapoints {
  constructor(
    private readonly clock: Clock,
    private readonly store: MetricStore,
  ) {}

  /** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html */
  put({ Namespace: namespace, MetricData: data }: Json): Answer {
    if (typeof namespace !== 'string' || namespace === '')
      throw new AlarmError('Namespace', 'The parameter Namespace is required.');
    if (namespace.startsWith('AWS/'))
      throw new AlarmError('Namespace', 'The value AWS/ for parameter Namespace is invalid.');
    for (const datum of (data ?? []) as Json[]) this.putOne(namespace, datum);
    return {};
  }

  private putOne(namespace: string, datum: Json): void {
    const now = this.clock.now();
    const at = datum['Timestamp'] === undefined ? now : timeOf(datum['Timestamp']);
    if (!(at >= now - PUT_PAST_MS && at <= now + PUT_AHEAD_MS))
      throw new AlarmError(
        'Timestamp',
        `The parameter Timestamp must be between two weeks ago and two hours from now, but is ${datum['Timestamp']}.`,
      );
    const name = String(datum['MetricName'] ?? '');
    if (name === '') throw new AlarmError('MetricName', 'The parameter MetricName is required.');
    const metric = { namespace, name, dimensions: dimensionsOf(datum['Dimensions']) };
    const set = datum['StatisticValues'] as Json | undefined;
    if (set !== undefined) {
      const number = (key: string): number => numberOf(set[key], `StatisticValues.${key}`);
      const [sum, count] = [number('Sum'), number('SampleCount')];
      this.store.putSet(metric, { sum, count, minimum: number('Minimum'), maximum: number('Maximum') }, at);
      return;
    }
    const values = (datum['Values'] as unknown[] | undefined) ?? [datum['Value']];
    const counts = datum['Counts'] as unknown[] | undefined;
    values.forEach((value, index) => {
      const repeat = counts === undefined ? 1 : numberOf(counts[index], 'Counts');
      this.store.putAt({ ...metric, value: numberOf(value, 'Value') }, at, repeat);
    });
  }

  statistics(given: Json): Answer {
    const period = periodOf(given['Period']);
    const from = aligned(timeOf(given['StartTime']), period);
    const until = timeOf(given['EndTime']);
    if ((until - from) / (period * 1000) > MAXIMUM_POINTS)
      throw new AlarmError('Period', `more than ${MAXIMUM_POINTS} datapoints; take a longer period`);
    const statistics = [given['Statistics'], given['ExtendedStatistics']].flatMap((one) =>
      ((one ?? []) as unknown[]).map(String),
    );
    const points = new Map<number, Answer>();
    for (const statistic of statistics) {
      if (!isStatistic(statistic)) throw new AlarmError('Statistics', `'${statistic}' is not emulated`);
      const query = {
        namespace: String(given['Namespace']),
        name: String(given['MetricName']),
        dimensions: dimensionsOf(given['Dimensions']),
        statistic,
        period,
      };
      this.store.values(query, from, until).forEach((value, index) => {
        if (value === undefined) return;
        const at = from + index * period * 1000;
        const point = points.get(at) ?? { Timestamp: at / 1000, Unit: 'None' };
        if (/^p\d/.test(statistic))
          point['ExtendedStatistics'] = { ...(point['ExtendedStatistics'] as object), [statistic]: value };
        else point[statistic] = value;
        points.set(at, point);
      });
    }
    return { Label: given['MetricName'], Datapoints: [...points.values()] };
  }

  /** All queries of one call share the period of the first metric, which is what dashboards ask for. */
  data(given: Json): Answer {
    const queries = ((given['MetricDataQueries'] ?? []) as Json[]).map(queryOf);
    checkMetrics(queries);
    const period = periodOf(queries.find(({ query }) => query !== undefined)?.query?.period ?? 60);
    const from = aligned(timeOf(given['StartTime']), period);
    const length = Math.ceil((timeOf(given['EndTime']) - from) / (period * 1000));
    const resolve = resolver(queries, this.store, { from, until: from + length * period * 1000, period });
    const descending = given['ScanBy'] !== 'TimestampAscending';
    return {
      MetricDataResults: queries
        .filter(({ returnData }) => returnData)
        .map(({ id, label, query }) => {
          const present = pointsOf(resolve(id), length)
            .map((value, index) => ({ value, at: (from + index * period * 1000) / 1000 }))
            .filter(({ value }) => value !== undefined);
          if (descending) present.reverse();
          return {
            Id: id,
            Label: label ?? query?.name ?? id,
            Timestamps: present.map(({ at }) => at),
            Values: present.map(({ value }) => value),
            StatusCode: 'Complete',
          };
        }),
      Messages: [],
    };
  }

  list({ Namespace: namespace, MetricName: name, Dimensions: dimensions }: Json): Answer {
    const asked = (dimensions ?? []) as { Name: string; Value?: string }[];
    const found = this.store
      .list()
      .filter(
        (series) =>
          (namespace === undefined || series.namespace === namespace) &&
          (name === undefined || series.name === name) &&
          asked.every(
            ({ Name, Value }) =>
              Name in series.dimensions && (Value === undefined || series.dimensions[Name] === Value),
          ),
      );
    return {
      Metrics: found.map((series) => ({
        Namespace: series.namespace,
        MetricName: series.name,
        Dimensions: Object.entries(series.dimensions).map(([Name, Value]) => ({ Name, Value })),
      })),
    };
  }
}

/** JSON has seconds since the epoch, the query protocol dates. */
export function timeOf(value: unknown): number {
  const at = typeof value === 'number' ? value * 1000 : Date.parse(String(value));
  if (Number.isNaN(at)) throw new AlarmError('Timestamp', `'${String(value)}' is not a time`);
  return at;
}

function periodOf(value: unknown): number {
  const period = Number(value);
  if (period >= 60 && period % 60 === 0) return period;
  throw new AlarmError('Period', `${String(value)} s is not emulated; multiples of 60 are`);
}

function numberOf(value: unknown, name: string): number {
  const number = value === undefined || value === '' ? Number.NaN : Number(value);
  if (Number.isFinite(number)) return number;
  throw new AlarmError(name, `The value ${String(value)} for parameter ${name} is not a finite number.`);
}

function aligned(at: number, period: number): number {
  return Math.floor(at / (period * 1000)) * period * 1000;
}
