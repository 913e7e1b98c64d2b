import type { FailureClass } from './records';

/** What is known of an error once it is judged. */
export interface Classification {
  readonly failureClass: FailureClass;
  /** Stable, upper snake case. */
  readonly code: string;
  /** For people; redacted before it is kept. */
  readonly reason: string;
  /** What the other side asked to wait, in seconds. */
  readonly retryAfterSeconds?: number;
}

/** How errors of one kind are judged; the first rule that matches counts. */
export interface ErrorRule {
  /** `error.name`. */
  readonly name?: string;
  /** `error.code`. */
  readonly code?: string;
  /** HTTP status, or from and to inclusive. */
  readonly status?: number | readonly [number, number];
  readonly failureClass: FailureClass;
  /** Default: made of the error's own code, name or status. */
  readonly as?: string;
}

/** Sockets and names that fail for a while. */
const TRANSIENT_CODES = [
  ...[
    'ECONNRESET',
    'ECONNREFUSED',
    'ECONNABORTED',
    'ETIMEDOUT',
    'EPIPE',
    'EAI_AGAIN',
    'ENETUNREACH',
    'EHOSTUNREACH',
  ],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
];

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html */
const TRANSIENT_NAMES = [
  ...['TimeoutError', 'AbortError', 'RequestTimeout', 'RequestTimeoutException', 'NetworkingError'],
  ...[
    'Throttling',
    'ThrottlingException',
    'ThrottledException',
    'RequestThrottledException',
    'TooManyRequestsException',
  ],
  ...[
    'ProvisionedThroughputExceededException',
    'TransactionInProgressException',
    'RequestLimitExceeded',
    'SlowDown',
  ],
  ...['BandwidthLimitExceeded', 'LimitExceededException', 'PriorRequestNotComplete', 'EC2ThrottledException'],
  ...['InternalServerError', 'ServiceUnavailable', 'ServiceUnavailableException', 'InternalFailure'],
];

/** Statuses that mean 'not now'. Every other 4xx stays unknown: it may be the message, or a release that broke a contract. */
const TRANSIENT_STATUSES = [408, 425, 429, 500, 502, 503, 504];

/** Judges any thrown value. What no rule knows stays unknown. */
export function classify(error: unknown, rules: readonly ErrorRule[] = []): Classification {
  const facts = factsOf(error);
  const rule = rules.find((candidate) => matchesRule(candidate, facts));
  const retryAfter =
    facts.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: facts.retryAfterSeconds };
  if (rule !== undefined)
    return {
      failureClass: rule.failureClass,
      code: rule.as ?? codeOf(facts),
      reason: facts.message,
      ...retryAfter,
    };
  const transient =
    TRANSIENT_CODES.includes(facts.code ?? '') ||
    TRANSIENT_NAMES.includes(facts.name ?? '') ||
    TRANSIENT_STATUSES.includes(facts.status ?? 0);
  return {
    failureClass: transient ? 'transient' : 'unknown',
    code: codeOf(facts),
    reason: facts.message,
    ...retryAfter,
  };
}

interface Facts {
  readonly name?: string;
  readonly code?: string;
  readonly status?: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

function factsOf(error: unknown): Facts {
  if (typeof error !== 'object' || error === null)
    return { message: typeof error === 'string' ? error : `threw ${String(error)}` };
  const { name, code, message, status, statusCode, retryAfterSeconds, $metadata, response, cause } =
    error as Record<string, unknown>;
  const found = [
    status,
    statusCode,
    property($metadata, 'httpStatusCode'),
    property(response, 'status'),
    property(response, 'statusCode'),
  ].find((value): value is number => typeof value === 'number');
  const innerCode = typeof code === 'string' ? code : property(cause, 'code');
  return {
    message: typeof message === 'string' ? message : 'no message',
    ...(typeof name === 'string' && name !== 'Error' ? { name } : {}),
    ...(typeof innerCode === 'string' ? { code: innerCode } : {}),
    ...(found === undefined ? {} : { status: found }),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function matchesRule({ name, code, status }: ErrorRule, facts: Facts): boolean {
  if (name === undefined && code === undefined && status === undefined) return false;
  if (name !== undefined && name !== facts.name) return false;
  if (code !== undefined && code !== facts.code) return false;
  if (status === undefined) return true;
  const [from, to] = typeof status === 'number' ? [status, status] : status;
  return facts.status !== undefined && facts.status >= from && facts.status <= to;
}

/** `ThrottlingException` reads `THROTTLING_EXCEPTION`, status 503 `HTTP_503`. */
function codeOf({ code, name, status }: Facts): string {
  if (code !== undefined && /^[A-Za-z][\w-]{1,60}$/.test(code)) return upperSnake(code);
  if (status !== undefined) return `HTTP_${status}`;
  if (name !== undefined && /^[A-Za-z][\w.]{1,60}$/.test(name)) return upperSnake(name);
  return 'UNKNOWN_ERROR';
}

function upperSnake(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}
