import { createHash } from 'node:crypto';

/** A function as it is deployed. */
export interface FunctionConfig {
  readonly name: string;
  readonly arn: string;
  readonly roleArn: string;
  readonly handler: string;
  readonly runtime: string;
  /** Folder with the code as the assembly has it. */
  readonly codeFolder: string;
  /** Megabytes. */
  readonly memory: number;
  /** Seconds. */
  readonly timeout: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logGroup: string;
  readonly logFormat: 'Text' | 'JSON';
  readonly description: string;
  /** Reserved concurrency; absent: none. */
  readonly reserved?: number;
}

/** The concurrency of an account. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const ACCOUNT_CONCURRENCY = 1_000;

/** Function name from a name, a partial or a full ARN, with or without a version or alias. */
export function functionNameOf(nameOrArn: string): string {
  const parts = nameOrArn.split(':');
  const at = parts.indexOf('function');
  return (at >= 0 ? parts[at + 1] : parts[0]) ?? nameOrArn;
}

/** Version or alias at the end of a name, a partial or a full ARN. */
export function qualifierOf(nameOrArn: string): string | undefined {
  const parts = nameOrArn.split(':');
  const at = parts.indexOf('function');
  return at >= 0 ? parts[at + 2] : parts[1];
}

/** Stable for a stack's resource, in the form of a UUID. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
