import type { MetricDatum } from '../gateway/service';

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
}

/**
 * Metrics in a log line, as CloudWatch takes them out of it: the whole line is the JSON.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function* embeddedMetrics(line: string): Iterable<MetricDatum> {
  if (!line.startsWith('{') || !line.includes('"_aws"')) return;
  let document: Record<string, unknown>;
  try {
    document = JSON.parse(line);
  } catch {
    return;
  }
  const directives = (document['_aws'] as { CloudWatchMetrics?: readonly Directive[] } | undefined)
    ?.CloudWatchMetrics;
  for (const { Namespace: namespace, Dimensions, Metrics } of directives ?? [])
    for (const names of Dimensions.length === 0 ? [[]] : Dimensions) {
      const dimensions = Object.fromEntries(names.map((name) => [name, String(document[name])]));
      for (const { Name: name, Unit: unit } of Metrics)
        for (const value of [document[name]].flat())
          if (typeof value === 'number')
            yield { namespace, name, dimensions, value, ...(unit === undefined ? {} : { unit }) };
    }
}
