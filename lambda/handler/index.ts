export type { Classification, ErrorRule } from '../../lib/core/classification';
export type { FailureClass } from '../../lib/core/records';
export type { RetryPolicy } from '../../lib/core/retry-policy';
export { type ConsumerHandler, consumer } from './consumer';
export type { StandardSchemaV1 } from './standard-schema';
export {
  type FailureOptions,
  JudgedFailure,
  permanent,
  retryAfter,
  transient,
  uncertain,
} from './throwables';
export type {
  BatchResponse,
  ConsumerOptions,
  FailureDetails,
  IdempotencyOptions,
  InvocationContext,
  MessageContext,
  Reconciliation,
} from './types';
