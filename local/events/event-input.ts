type Json = Readonly<Record<string, unknown>>;

export interface InputTransformer {
  readonly InputPathsMap?: Readonly<Record<string, string>>;
  readonly InputTemplate: string;
}

export interface InputRules {
  readonly Input?: string;
  readonly InputPath?: string;
  readonly InputTransformer?: InputTransformer;
}

/** What a target gets of an event: the whole, a part, a fixed text, or a text made of parts. */
export function inputOf(
  rules: InputRules,
  event: Json,
  rule: { readonly name: string; readonly arn: string },
): string {
  if (rules.Input !== undefined) return rules.Input;
  if (rules.InputPath !== undefined) return JSON.stringify(valueAt(event, rules.InputPath) ?? null);
  if (rules.InputTransformer !== undefined) return transformed(rules.InputTransformer, event, rule);
  return JSON.stringify(event);
}

/** `$.detail.items[0].id`; undefined where there is nothing. */
export function valueAt(event: Json, path: string): unknown {
  const steps = path.replace(/^\$\.?/, '').match(/[^.[\]'"]+/g) ?? [];
  return steps.reduce<unknown>((value, step) => (value as Json | undefined | null)?.[step], event);
}

/**
 * In quotes a value loses its own; elsewhere it is JSON. What the event lacks leaves nothing behind.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
function transformed(
  { InputPathsMap = {}, InputTemplate }: InputTransformer,
  event: Json,
  { name, arn }: { readonly name: string; readonly arn: string },
): string {
  const values: Record<string, unknown> = {
    'aws.events.rule-arn': arn,
    'aws.events.rule-name': name,
    'aws.events.event.ingestion-time': event['time'],
    'aws.events.event': { ...event, detail: undefined },
    'aws.events.event.json': event,
  };
  for (const [variable, path] of Object.entries(InputPathsMap)) values[variable] = valueAt(event, path);
  let quoted = false;
  return InputTemplate.replace(/\\.|"|<([A-Za-z0-9_.-]+)>/g, (whole, variable: string | undefined) => {
    if (whole === '"') quoted = !quoted;
    if (variable === undefined || !(variable in values)) return whole;
    const value = values[variable];
    if (value === undefined) return '';
    if (!quoted) return JSON.stringify(value);
    return JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value)).slice(1, -1);
  });
}
