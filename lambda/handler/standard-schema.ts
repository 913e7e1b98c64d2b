/** The part of https://standardschema.dev that validates; any library that follows it fits. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Where a body breaks its schema: the path, and no value. */
export function issuePlace(issues: readonly SchemaIssue[]): string {
  const [first] = issues;
  const path = (first?.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step));
  const place = path.map((step) => (/^\d+$/.test(step) ? '[]' : step)).join('.');
  return `${place === '' ? 'the body' : place} does not follow the schema`;
}
