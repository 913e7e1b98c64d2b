import { isRecord, type Template, type TemplateParameter } from './template';

export interface ParameterValues {
  /** A parameter whose value is known only at deployment has no entry. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

const SSM_VALUE = /^AWS::SSM::Parameter::Value<(.+)>$/;
const BOOTSTRAP_VERSION = /^\/cdk-bootstrap\/[^/]+\/version$/;
/** Above every version that a synthesized template may ask for. */
const BOOTSTRAPPED = '1000000';

/**
 * The values of a stack's parameters: what was given, else the default.
 * `given` answers undefined for nothing given; `stored` looks a value up in the emulated SSM parameter store.
 */
export function parameterValues(
  template: Template,
  given: Readonly<Record<string, unknown>>,
  stored: (name: string) => string | undefined,
  deferred: ReadonlySet<string> = new Set(),
): ParameterValues {
  const values = new Map<string, unknown>();
  const failures: { name: string; message: string }[] = [];
  const declared = template.Parameters ?? {};
  for (const name of Object.keys(given))
    if (declared[name] === undefined) failures.push({ name, message: 'the template has no such parameter' });
  for (const [name, parameter] of Object.entries(declared)) {
    if (deferred.has(name)) continue;
    const raw = given[name] ?? (isRecord(parameter) ? parameter.Default : undefined);
    if (raw === undefined) {
      failures.push({ name, message: 'no value was given and it has no default' });
      continue;
    }
    const ssm = SSM_VALUE.exec(parameter.Type ?? '');
    if (ssm !== null) {
      const value = BOOTSTRAP_VERSION.test(String(raw)) ? BOOTSTRAPPED : stored(String(raw));
      if (value !== undefined) values.set(name, typed(value, ssm[1] ?? 'String'));
      continue;
    }
    const message = violation(parameter, raw);
    if (message === undefined) values.set(name, typed(raw, parameter.Type ?? 'String'));
    else failures.push({ name, message });
  }
  return { values, failures };
}

function typed(value: unknown, type: string): unknown {
  if (type !== 'CommaDelimitedList' && !type.startsWith('List<')) return text(value);
  return Array.isArray(value)
    ? value.map(text)
    : text(value)
        .split(',')
        .map((item) => item.trim());
}

function violation(parameter: TemplateParameter, value: unknown): string | undefined {
  const { AllowedValues: allowed, AllowedPattern: pattern } = parameter;
  if (allowed !== undefined && !allowed.map(text).includes(text(value)))
    return `'${text(value)}' is not one of ${allowed.map(text).join(', ')}`;
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`).test(text(value)))
    return `'${text(value)}' does not match ${pattern}`;
  if (parameter.Type === 'Number' && !Number.isFinite(Number(value)))
    return `'${text(value)}' is not a number`;
  return undefined;
}

function text(value: unknown): string {
  return Array.isArray(value) ? value.map(text).join(',') : String(value);
}
