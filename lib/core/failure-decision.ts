import type { Classification } from './classification';
import type { IsolationReason } from './records';
import type { RetryPolicy } from './retry-policy';

export interface FailedAttempt {
  readonly classification: Classification;
  readonly policy: RetryPolicy;
  /** Handler calls in this life, this one included; receives stand for them. */
  readonly attempt: number;
  /** Since the producer sent it, never below 0. */
  readonly ageSeconds: number;
}

export type FailureDecision =
  | { readonly kind: 'isolate'; readonly reason: IsolationReason }
  | { readonly kind: 'retry' };

/** What follows a failed attempt. Unknown failures are tried as often as transient ones, and never isolated before. */
export function decideFailure({
  classification,
  policy,
  attempt,
  ageSeconds,
}: FailedAttempt): FailureDecision {
  if (classification.failureClass === 'permanent') return { kind: 'isolate', reason: 'permanent' };
  if (attempt >= policy.attempts) return { kind: 'isolate', reason: 'attempt_limit' };
  if (policy.maximumAgeSeconds !== undefined && ageSeconds >= policy.maximumAgeSeconds)
    return { kind: 'isolate', reason: 'too_old' };
  return { kind: 'retry' };
}
