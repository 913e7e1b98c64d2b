import type { MetricDatum } from '../gateway/service';
import type { FunctionPool } from './function-pool';

/**
 * The most that ran at once since the last look, by function and in all; nothing where nothing ran, as on AWS.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#concurrency-metrics
 */
export function concurrencyMetrics(pools: readonly FunctionPool[]): MetricDatum[] {
  const datum = (dimensions: Readonly<Record<string, string>>, value: number): MetricDatum => ({
    namespace: 'AWS/Lambda',
    name: 'ConcurrentExecutions',
    dimensions,
    value,
    unit: 'Count',
  });
  const peaks = pools.map((pool) => ({ name: pool.config.name, peak: pool.takePeak() }));
  const busy = peaks.filter(({ peak }) => peak > 0);
  if (busy.length === 0) return [];
  return [
    ...busy.map(({ name, peak }) => datum({ FunctionName: name }, peak)),
    datum(
      {},
      busy.reduce((sum, { peak }) => sum + peak, 0),
    ),
  ];
}
