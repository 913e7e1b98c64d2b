/** What can be read of a thrown value. */
export interface ThrownFacts {
  readonly name?: string;
  readonly code?: string;
  readonly status?: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** The SDK, or the service behind it, says that a retry may help. */
  readonly retryable: boolean;
  /** Of a cancelled DynamoDB transaction: the code of each write. */
  readonly cancellations: readonly string[];
}

const LONGEST_MESSAGE = 4_000;

/** Reads any thrown value: errors, texts, nothing at all, and objects that defend themselves. */
export function thrownFacts(error: unknown, nowMs?: number): ThrownFacts {
  if (typeof error === 'string') return bare(error.slice(0, LONGEST_MESSAGE));
  if (typeof error === 'function') return bare('threw a function');
  if (typeof error !== 'object' || error === null) return bare(`threw ${String(error)}`);
  try {
    return factsOf(error as Record<string, unknown>, nowMs);
  } catch {
    return bare('threw an object that can not be read');
  }
}

function factsOf(error: Record<string, unknown>, nowMs: number | undefined): ThrownFacts {
  const { name, code, message, status, statusCode, $metadata, $fault, $retryable, response, cause } = error;
  const found = [
    status,
    statusCode,
    property($metadata, 'httpStatusCode'),
    property(response, 'status'),
    property(response, 'statusCode'),
  ].find((value): value is number => typeof value === 'number');
  const innerCode = typeof code === 'string' ? code : property(cause, 'code');
  const retryAfterSeconds = retryAfterOf(error, nowMs);
  return {
    message: typeof message === 'string' ? message.slice(0, LONGEST_MESSAGE) : 'no message',
    retryable: ($retryable !== undefined && $retryable !== false) || $fault === 'server',
    cancellations: cancellationsOf(error['CancellationReasons']),
    ...(typeof name === 'string' && name !== 'Error' && name !== '' ? { name } : {}),
    ...(typeof innerCode === 'string' && innerCode !== '' ? { code: innerCode } : {}),
    ...(found === undefined ? {} : { status: found }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** From a field, or the header in seconds or as a date. https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function retryAfterOf(error: Record<string, unknown>, nowMs: number | undefined): number | undefined {
  const given =
    error['retryAfterSeconds'] ??
    header(error['headers']) ??
    header(property(error['response'], 'headers')) ??
    header(property(error['$response'], 'headers'));
  if (given === undefined || given === null || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(String(given));
  return Number.isNaN(at) || nowMs === undefined ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}

function header(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const get = (headers as { get?: unknown }).get;
  if (typeof get === 'function') return get.call(headers, 'retry-after') ?? undefined;
  return property(headers, 'retry-after') ?? property(headers, 'Retry-After');
}

function cancellationsOf(reasons: unknown): string[] {
  if (!Array.isArray(reasons)) return [];
  return reasons.map((reason) => String(property(reason, 'Code') ?? 'None'));
}

function bare(message: string): ThrownFacts {
  return { message, retryable: false, cancellations: [] };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
