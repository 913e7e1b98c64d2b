import { failureCode } from './failure-code';
import type { FailureClass } from './records';
import { type ThrownFacts, thrownFacts } from './thrown-facts';
import { isPassing } from './transient-errors';

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

/** How errors of one kind are judged; the first rule that matches counts. A rule without a condition is refused. */
export interface ErrorRule {
  /** A class of errors, by `instanceof`. Not `Error` itself, nor another class that says nothing of the cause. */
  readonly type?: abstract new (
    ...args: never[]
  ) => unknown;
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

/** Judges any thrown value. What no rule knows stays unknown. */
export function classify(error: unknown, rules: readonly ErrorRule[] = [], nowMs?: number): Classification {
  const facts = thrownFacts(error, nowMs);
  const rule = rules.find((candidate) => matchesRule(candidate, error, facts));
  return {
    failureClass: rule?.failureClass ?? (isPassing(facts) ? 'transient' : 'unknown'),
    code: rule?.as ?? codeOf(facts),
    reason: facts.message,
    ...(facts.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: facts.retryAfterSeconds }),
  };
}

/** Errors that JavaScript itself throws say nothing of the message: a rule for them would isolate what is unknown. */
const SAY_NOTHING: readonly unknown[] = [
  ...[Object, Function, Error, TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError],
  AggregateError,
];

/** Why a rule is not possible, or undefined. */
export function ruleProblem({ type, name, code, status, failureClass }: ErrorRule): string | undefined {
  if ([type, name, code, status].every((condition) => condition === undefined))
    return 'a rule needs one of type, name, code and status: one for every error would hide what is unknown';
  if (failureClass !== 'permanent') return undefined;
  const wide =
    (code === undefined && status === undefined && SAY_NOTHING.includes(type)) ||
    SAY_NOTHING.some((one) => (one as { name: string }).name === name && code === undefined);
  return wide
    ? `${name ?? (type as { name?: string }).name} says nothing of the cause, so it can't be permanent`
    : undefined;
}

function matchesRule({ type, name, code, status }: ErrorRule, error: unknown, facts: ThrownFacts): boolean {
  if ([type, name, code, status].every((condition) => condition === undefined)) return false;
  if (type !== undefined && !isOf(error, type)) return false;
  if (name !== undefined && name !== facts.name) return false;
  if (code !== undefined && code !== facts.code) return false;
  if (status === undefined) return true;
  const [from, to] = typeof status === 'number' ? [status, status] : status;
  return facts.status !== undefined && facts.status >= from && facts.status <= to;
}

function isOf(error: unknown, type: NonNullable<ErrorRule['type']>): boolean {
  try {
    return error instanceof type;
  } catch {
    return false;
  }
}

/** `ThrottlingException` reads `THROTTLING_EXCEPTION`, status 503 `HTTP_503`. */
function codeOf({ code, name, status }: ThrownFacts): string {
  if (code !== undefined && /^[A-Za-z]/.test(code)) return failureCode(code);
  // SQLSTATE and the like: short, and an identity of its own.
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code)) return `CODE_${code}`;
  if (status !== undefined && (name === undefined || !/(?:Exception|Error)$/.test(name) || isGeneric(name)))
    return `HTTP_${status}`;
  if (name !== undefined) return failureCode(name);
  return 'UNKNOWN_ERROR';
}

function isGeneric(name: string): boolean {
  return /^(?:Http|HTTP|Axios|Request|Response|Fetch|Status|Api|API)\w*Error$/.test(name);
}
