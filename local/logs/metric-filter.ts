import { ResourceError } from '../cloudformation/resource-provider';
import type { MetricDatum } from '../gateway/service';
import { documentIn, type LogFilter, LogPatternError, logFilter, valueAt } from './log-pattern';

type Properties = Readonly<Record<string, unknown>>;

/** A metric filter on one log group. https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-metricfilter.html */
export interface MetricFilter {
  readonly logGroup: string;
  /** What a line is worth. */
  measure(message: string): readonly MetricDatum[];
}

/** Throws a ResourceError for what is not emulated. */
export function metricFilterOf(properties: Properties): MetricFilter {
  const passes = filterOf(String(properties['FilterPattern'] ?? ''));
  const measures = ((properties['MetricTransformations'] ?? []) as Properties[]).map(transformation);
  return {
    logGroup: String(properties['LogGroupName']),
    measure: (message) => (passes(message) ? measures.flatMap((measure) => measure(message)) : []),
  };
}

function filterOf(pattern: string): LogFilter {
  try {
    return logFilter(pattern);
  } catch (error) {
    if (error instanceof LogPatternError) throw new ResourceError('FilterPattern', error.message);
    throw error;
  }
}

function transformation(properties: Properties): (message: string) => MetricDatum[] {
  const { MetricNamespace, MetricName, MetricValue, Unit, Dimensions, DefaultValue } = properties;
  if (DefaultValue !== undefined)
    throw new ResourceError(
      'MetricTransformations',
      'DefaultValue is not emulated: a line that does not match says nothing',
    );
  const worth = String(MetricValue);
  if (!worth.startsWith('$') && Number.isNaN(Number(worth)))
    throw new ResourceError(
      'MetricTransformations',
      `MetricValue must be a number or $.field, and is '${worth}'`,
    );
  const chosen = (Dimensions ?? []) as { readonly Key: string; readonly Value: string }[];
  return (message) => {
    const document = documentIn(message);
    const value = Number(worth.startsWith('$') ? (valueAt(document, worth) ?? Number.NaN) : worth);
    if (Number.isNaN(value)) return [];
    return [
      {
        namespace: String(MetricNamespace),
        name: String(MetricName),
        dimensions: Object.fromEntries(
          chosen.map(({ Key, Value }) => [Key, String(valueAt(document, Value))]),
        ),
        value,
        ...(Unit === undefined ? {} : { unit: String(Unit) }),
      },
    ];
  };
}
