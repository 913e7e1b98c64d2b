import type { IncomingHttpHeaders } from 'node:http';

/** Prefix of `X-Amz-Target` to the service's signing name, for callers that do not sign. */
const TARGET_PREFIXES: Readonly<Record<string, string>> = {
  AmazonSQS: 'sqs',
  DynamoDB_20120810: 'dynamodb',
  DynamoDBStreams_20120810: 'dynamodb',
  AWSStepFunctions: 'states',
  AWSEvents: 'events',
  Logs_20140328: 'logs',
  GraniteServiceVersion20100801: 'monitoring',
  TrentService: 'kms',
  AmazonSSM: 'ssm',
};

/** API versions of the services that speak the AWS query protocol. */
const QUERY_VERSIONS: Readonly<Record<string, string>> = {
  '2012-11-05': 'sqs',
  '2010-03-31': 'sns',
  '2011-06-15': 'sts',
  '2010-08-01': 'monitoring',
  '2010-05-15': 'cloudformation',
  '2010-05-08': 'iam',
};

const PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/20\d\d-\d\d-\d\d\/(functions|event-source-mappings|account-settings|layers|tags)\b/, 'lambda'],
  [/^\/(schedules|schedule-groups)\b/, 'scheduler'],
  [/^\/\d{12}\/[^/]+\/?$/, 'sqs'],
];

const RPC_PATH = /^\/service\/([A-Za-z0-9_]+)\/operation\//;

export interface Scope {
  readonly accessKeyId: string;
  /** Undefined when the request does not say which service it is for. */
  readonly signingName: string | undefined;
}

const ANONYMOUS = 'anonymous';

/**
 * Reads `KEY/date/region/SERVICE/aws4_request`.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-signing-elements.html
 */
export function scopeOfCredential(credential: string): Scope {
  const [accessKeyId = ANONYMOUS, , , service] = credential.split('/');
  return { accessKeyId, signingName: service || undefined };
}

/** The text of the credential in a signed request, the cheap way: this stands before every message. */
export function credentialOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const start = authorization.indexOf('Credential=');
  if (start < 0) return undefined;
  const end = authorization.indexOf(',', start);
  return authorization.slice(start + 11, end < 0 ? undefined : end).trim();
}

/** Who calls which service, for a request without a credential in its Authorization header. */
export function scopeOfUnsigned(url: string, headers: IncomingHttpHeaders): Scope {
  const [path = '/', search = ''] = url.split('?', 2);
  const query = search === '' ? undefined : new URLSearchParams(search);
  const presigned = query?.get('X-Amz-Credential');
  if (presigned) return scopeOfCredential(presigned);
  const accessKeyId = query?.get('AWSAccessKeyId') ?? ANONYMOUS;
  return { accessKeyId, signingName: byTarget(headers) ?? byPath(path) ?? byVersion(query) };
}

function byTarget(headers: IncomingHttpHeaders): string | undefined {
  const target = headers['x-amz-target'];
  return typeof target === 'string' ? TARGET_PREFIXES[target.slice(0, target.indexOf('.'))] : undefined;
}

function byPath(path: string): string | undefined {
  const rpc = RPC_PATH.exec(path)?.[1];
  return rpc === undefined ? PATHS.find(([shape]) => shape.test(path))?.[1] : TARGET_PREFIXES[rpc];
}

function byVersion(query: URLSearchParams | undefined): string | undefined {
  const version = query?.get('Version');
  return version ? QUERY_VERSIONS[version] : undefined;
}
