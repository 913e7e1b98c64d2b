type Raw = Readonly<Record<string, unknown>>;

const FUNCTION = 'AWS::Serverless::Function';
/** Properties of a mapping that SAM calls as CloudFormation does. */
const SAME = [
  'BatchSize',
  'Enabled',
  'FilterCriteria',
  'FunctionResponseTypes',
  'MaximumBatchingWindowInSeconds',
  'ScalingConfig',
  'ProvisionedPollerConfig',
];

/**
 * Functions of the Serverless Application Model, as CloudFormation will have them: the function, and a mapping for each
 * queue among its events. Everything else of SAM stays as it is, and no rule looks at it.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-sqs.html
 */
export function withoutSam(template: { readonly Resources?: Raw; readonly Globals?: unknown }): Raw {
  const globals = record(record(template.Globals)['Function']);
  const resources: Record<string, unknown> = {};
  for (const [id, raw] of Object.entries(template.Resources ?? {})) {
    const { Type, Properties } = record(raw);
    if (Type !== FUNCTION) {
      resources[id] = raw;
      continue;
    }
    const { Events, ReservedConcurrentExecutions, Timeout, RecursiveLoop } = {
      ...globals,
      ...record(Properties),
    };
    resources[id] = {
      Type: 'AWS::Lambda::Function',
      Properties: defined({ ReservedConcurrentExecutions, Timeout, RecursiveLoop }),
    };
    for (const [name, event] of Object.entries(record(Events))) {
      const { Type: kind, Properties: settings } = record(event);
      if (kind !== 'SQS') continue;
      const given = record(settings);
      resources[`${id}${name}`] = {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: defined({
          EventSourceArn: given['Queue'],
          FunctionName: { Ref: id },
          ...Object.fromEntries(SAME.map((property) => [property, given[property]])),
        }),
      };
    }
  }
  return resources;
}

function record(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

function defined(values: Raw): Raw {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
