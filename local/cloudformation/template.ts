/** A CloudFormation template as JSON gives it, before anything is resolved. */
export interface Template {
  readonly Transform?: unknown;
  readonly Parameters?: Readonly<Record<string, TemplateParameter>>;
  readonly Mappings?: Readonly<Record<string, unknown>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>;
  readonly [section: string]: unknown;
}

export interface TemplateParameter {
  readonly Type?: string;
  readonly Default?: unknown;
  readonly AllowedValues?: readonly unknown[];
  readonly AllowedPattern?: string;
  readonly NoEcho?: unknown;
}

export interface TemplateResource {
  readonly Type?: unknown;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly Condition?: unknown;
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

export interface TemplateOutput {
  readonly Value?: unknown;
  readonly Condition?: string;
  readonly Export?: { readonly Name?: unknown };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function typeOf(resource: TemplateResource): string {
  return typeof resource.Type === 'string' ? resource.Type : '(no type)';
}

export function dependsOn(resource: TemplateResource): readonly string[] {
  const { DependsOn: names } = resource;
  return names === undefined ? [] : typeof names === 'string' ? [names] : names;
}
