import type { MetricDatum } from '../gateway/service';

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
}

/** What Lambda puts before a text that is logged: time, request id, level. */
const TEXT_PREFIX = /^[^\t]+\t[^\t]*\t[A-Z]+\t(?=\{)/;

/**
 * Metrics in a log line, as CloudWatch takes them out of it: the line is the JSON, or Lambda's text format around it,
 * or Lambda's JSON format with it as the message.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function* embeddedMetrics(line: string): Iterable<MetricDatum> {
  if (!line.includes('_aws')) return;
  const document = metricsDocument(parsed(line.replace(TEXT_PREFIX, '')));
  const { CloudWatchMetrics: directives } = (document?.['_aws'] ?? {}) as {
    CloudWatchMetrics?: readonly Directive[];
  };
  if (document === undefined || !Array.isArray(directives)) return;
  for (const { Namespace: namespace, Dimensions = [], Metrics = [] } of directives as readonly Directive[])
    for (const names of Dimensions.length === 0 ? [[]] : Dimensions) {
      const dimensions = Object.fromEntries(names.map((name) => [name, String(document[name])]));
      for (const { Name: name, Unit: unit } of Metrics)
        for (const value of [document[name]].flat())
          if (typeof value === 'number')
            yield { namespace, name, dimensions, value, ...(unit === undefined ? {} : { unit }) };
    }
}

function metricsDocument(document: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (document === undefined || '_aws' in document) return document;
  const { message } = document;
  if (typeof message === 'string') return parsed(message);
  return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
