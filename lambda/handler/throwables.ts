import type { Classification } from '../../lib/core/classification';

/** A failure that the handler author has judged. Throw what {@link permanent}, {@link transient} and the others make. */
export class JudgedFailure extends Error {
  override readonly name = 'JudgedFailure';
  readonly classification: Classification;
  /** True: an outside call may or may not have had its effect; `reconcile` is asked before the next attempt. */
  readonly uncertain: boolean;

  constructor(
    classification: Classification,
    options: { readonly uncertain?: boolean; readonly cause?: unknown } = {},
  ) {
    super(classification.reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.classification = classification;
    this.uncertain = options.uncertain === true;
  }
}

export interface FailureOptions {
  /** For people; personal data is taken out before it is kept. Default: the code. */
  readonly reason?: string;
  readonly cause?: unknown;
}

/** Hopeless: the message is isolated at once, without another attempt. `code` is stable, for example `SKU_UNKNOWN`. */
export function permanent(code: string, { reason = code, cause }: FailureOptions = {}): JudgedFailure {
  return new JudgedFailure({ failureClass: 'permanent', code, reason }, { cause });
}

/** Passing: the message is tried again as the retry policy says. */
export function transient(code: string, { reason = code, cause }: FailureOptions = {}): JudgedFailure {
  return new JudgedFailure({ failureClass: 'transient', code, reason }, { cause });
}

/** Passing, and the other side said when: the message is not tried again before `seconds` have passed. */
export function retryAfter(
  seconds: number,
  code: string,
  { reason = code, cause }: FailureOptions = {},
): JudgedFailure {
  return new JudgedFailure(
    { failureClass: 'transient', code, reason, retryAfterSeconds: seconds },
    { cause },
  );
}

/** The answer of an outside call was lost. The next attempt asks `idempotency.reconcile` before it calls `process`. */
export function uncertain(code: string, { reason = code, cause }: FailureOptions = {}): JudgedFailure {
  return new JudgedFailure({ failureClass: 'transient', code, reason }, { uncertain: true, cause });
}
