import type { ThrownFacts } from './thrown-facts';

/** Sockets, names and connections to databases that fail for a while. */
const CODES = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN'],
  ...['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'ESOCKETTIMEDOUT'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
  // Postgres: serialization, deadlock, too many connections, shutting down, connection lost.
  // https://www.postgresql.org/docs/current/errcodes-appendix.html
  ...['40001', '40P01', '53300', '57P01', '57P02', '57P03', '08000', '08001', '08003', '08004', '08006'],
]);

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html */
const NAMES = new Set([
  ...['TimeoutError', 'AbortError', 'RequestTimeout', 'RequestTimeoutException', 'NetworkingError'],
  ...['ConnectTimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError', 'SocketError'],
  ...[
    'Throttling',
    'ThrottlingException',
    'ThrottledException',
    'RequestThrottled',
    'RequestThrottledException',
  ],
  ...['TooManyRequestsException', 'ProvisionedThroughputExceededException', 'TransactionInProgressException'],
  ...['RequestLimitExceeded', 'SlowDown', 'BandwidthLimitExceeded', 'LimitExceededException'],
  ...['PriorRequestNotComplete', 'EC2ThrottledException', 'TransactionConflictException'],
  ...['InternalServerError', 'InternalFailure', 'InternalError', 'ServiceUnavailable'],
  ...['ServiceUnavailableException', 'KmsThrottled', 'ReplicatedWriteConflictException'],
]);

/** 'Not now'. Every other 4xx stays unknown: it may be the message, or a release that broke a contract. */
const STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Writes that lost against another transaction, or against throttling: the same again may pass. */
const CANCELLATIONS = new Set([
  ...['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded', 'None'],
]);

/** Whether an error is known to pass by itself. */
export function isPassing({ code, name, status, retryable, cancellations }: ThrownFacts): boolean {
  if (cancellations.length > 0)
    return (
      cancellations.every((one) => CANCELLATIONS.has(one)) && cancellations.some((one) => one !== 'None')
    );
  return CODES.has(code ?? '') || NAMES.has(name ?? '') || STATUSES.has(status ?? 0) || retryable;
}
