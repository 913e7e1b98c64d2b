/**
 * One emulated CloudFormation resource type. Each service folder brings its own; the reader resolves
 * intrinsics before it calls, and refuses a property that is neither emulated nor ignored with a reason.
 */
export interface ResourceProvider {
  /** For example `AWS::SQS::Queue`. */
  readonly type: string;
  /** Top-level properties that have their effect here. A nested one that has none goes into `ignored` by its path. */
  readonly emulated: readonly string[];
  /** Property path (`A`, `A.B`) to the reason why leaving it out changes nothing here; printed as 'known, not emulated'. */
  readonly ignored?: Readonly<Record<string, string>>;
  create(resource: ResourceRequest): CreatedResource | Promise<CreatedResource>;
}

export interface ResourceRequest {
  readonly stackName: string;
  readonly logicalId: string;
  /** Intrinsics resolved, assets as absolute paths through `asset`. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly account: string;
  readonly region: string;
  /** `STACK-LOGICALID-xxxxxxxx`, stable for a stack and logical id, for resources without an explicit name. */
  readonly generatedName: string;
  /** The folder or file of an asset in the cloud assembly, by bucket and key as the template gives them. */
  asset(bucket: string, key: string): string;
}

export interface CreatedResource {
  /** What `Ref` answers. */
  readonly ref: string;
  /** What `Fn::GetAtt` answers, by attribute name. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Thrown by a provider; the reader adds the logical id. */
export class ResourceError extends Error {
  override readonly name = 'ResourceError';
  constructor(
    readonly property: string,
    message: string,
  ) {
    super(message);
  }
}
