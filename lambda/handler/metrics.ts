/** What happened to the messages of one batch. */
export interface BatchCounts {
  readonly processed: number;
  readonly succeeded: number;
  readonly duplicates: number;
  readonly retried: number;
  readonly isolated: number;
  readonly unknown: number;
  readonly later: number;
  readonly storeErrors: number;
}

const NAMES: Readonly<Record<keyof BatchCounts, string>> = {
  processed: 'Processed',
  succeeded: 'Succeeded',
  duplicates: 'Duplicates',
  retried: 'Retried',
  isolated: 'Isolated',
  unknown: 'UnknownFailures',
  later: 'PutBack',
  storeErrors: 'StoreErrors',
};

/** Codes of one batch that get a metric of their own; the rest counts in the sums alone. */
const MOST_CODES = 10;

/**
 * Metrics as log lines: one for the batch, and one for each failure code.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function metricLines(
  { queue, consumer, nowMs }: { readonly queue: string; readonly consumer: string; readonly nowMs: number },
  counts: BatchCounts,
  codes: ReadonlyMap<string, number>,
): string[] {
  const values = Object.fromEntries(
    Object.entries(NAMES).map(([field, name]) => [name, counts[field as keyof BatchCounts]]),
  );
  const line = (
    dimensions: readonly string[],
    fields: Record<string, unknown>,
    metrics: readonly string[],
  ): string =>
    JSON.stringify({
      _aws: {
        Timestamp: nowMs,
        CloudWatchMetrics: [
          {
            Namespace: 'Redrive/Consumer',
            Dimensions: [dimensions],
            Metrics: metrics.map((Name) => ({ Name, Unit: 'Count' })),
          },
        ],
      },
      queue,
      consumer,
      ...fields,
    });
  return [
    line(['queue', 'consumer'], values, Object.keys(values)),
    ...[...codes]
      .slice(0, MOST_CODES)
      .map(([code, Failures]) => line(['queue', 'consumer', 'code'], { code, Failures }, ['Failures'])),
  ];
}
