/** How often and how fast a failed message is tried again. */
export interface RetryPolicy {
  /** Shape of the delays. Default exponential. custom asks {@link custom}. */
  readonly kind: 'exponential' | 'fixed' | 'linear' | 'custom';
  /** Seconds after the given failed attempt, from 1; jitter, maximum and retry budget still apply. */
  readonly custom?: (attempt: number) => number;
  /** First delay in seconds, 0 to 43,200. */
  readonly baseSeconds: number;
  /** Longest delay in seconds, up to 43,200. */
  readonly maximumSeconds: number;
  /** Attempts in one life of the message, the first included. At most the queue's maxReceiveCount. */
  readonly attempts: number;
  /** full: anything from 0 to the delay. equal: at least half of it. quarter: within a quarter around it. Default full. */
  readonly jitter: 'none' | 'quarter' | 'equal' | 'full';
  /** Since the producer sent it; older messages are isolated. Default: no limit but retention. */
  readonly maximumAgeSeconds?: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  kind: 'exponential',
  baseSeconds: 5,
  maximumSeconds: 900,
  attempts: 5,
  jitter: 'full',
};

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const MAXIMUM_VISIBILITY_SECONDS = 43_200;
/** The call to change the visibility takes time as well. */
const MARGIN_SECONDS = 5;

export interface DelayQuestion {
  readonly policy: RetryPolicy;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** What the other side asked for. */
  readonly retryAfterSeconds?: number;
  /** Since the receive: the twelve hours count from there. */
  readonly heldSeconds: number;
  /** From 0 to 1. */
  readonly random: number;
  /** At least 1: how much the retry budget stretches delays. */
  readonly stretch?: number;
}

/** Whole seconds until the next attempt. */
export function delaySeconds({
  policy,
  attempt,
  retryAfterSeconds,
  heldSeconds,
  random,
  stretch = 1,
}: DelayQuestion): number {
  const longest = Math.max(0, MAXIMUM_VISIBILITY_SECONDS - Math.ceil(heldSeconds) - MARGIN_SECONDS);
  const computed = jittered(
    Math.min(shaped(policy, attempt) * stretch, policy.maximumSeconds),
    policy.jitter,
    random,
  );
  // Asked to wait, no sooner; a little later, so that not all come back in the same second.
  const wanted =
    retryAfterSeconds === undefined
      ? computed
      : Math.max(retryAfterSeconds, computed) + random * Math.min(5, retryAfterSeconds / 4);
  return Math.min(Math.round(wanted), longest);
}

function shaped({ kind, baseSeconds, custom }: RetryPolicy, attempt: number): number {
  if (kind === 'fixed') return baseSeconds;
  if (kind === 'custom') return customised(custom, baseSeconds, attempt);
  if (kind === 'linear') return baseSeconds * attempt;
  return baseSeconds * 2 ** Math.min(attempt - 1, 30);
}

/** A function that answers nonsense, or throws, must not keep the message from being put back. */
function customised(custom: RetryPolicy['custom'], baseSeconds: number, attempt: number): number {
  try {
    const seconds = custom?.(attempt) ?? baseSeconds;
    return Number.isFinite(seconds) && seconds >= 0 ? seconds : baseSeconds;
  } catch {
    return baseSeconds;
  }
}

function jittered(delay: number, jitter: RetryPolicy['jitter'], random: number): number {
  if (jitter === 'full') return delay * random;
  if (jitter === 'equal') return delay / 2 + (delay / 2) * random;
  if (jitter === 'quarter') return delay * (0.75 + 0.5 * random);
  return delay;
}

/** Why the policy is not possible on a queue, or undefined. */
export function policyProblem(policy: RetryPolicy, maxReceiveCount: number): string | undefined {
  const { attempts, baseSeconds, maximumSeconds, kind, custom, maximumAgeSeconds } = policy;
  if (!Number.isInteger(attempts) || attempts < 1)
    return `attempts must be a whole number from 1, and is ${attempts}`;
  if (attempts > maxReceiveCount)
    return `attempts is ${attempts}, but the queue moves a message after ${maxReceiveCount} receives (maxReceiveCount)`;
  if (!(baseSeconds >= 0 && baseSeconds <= MAXIMUM_VISIBILITY_SECONDS))
    return `baseSeconds must be from 0 to 43200, and is ${baseSeconds}`;
  if (!(maximumSeconds >= baseSeconds && maximumSeconds <= MAXIMUM_VISIBILITY_SECONDS))
    return `maximumSeconds must be from baseSeconds to 43200, and is ${maximumSeconds}`;
  if (kind === 'custom' && typeof custom !== 'function') return 'kind custom needs the function custom';
  if (maximumAgeSeconds !== undefined && !(maximumAgeSeconds > 0))
    return `maximumAgeSeconds must be above 0, and is ${maximumAgeSeconds}`;
  return undefined;
}
