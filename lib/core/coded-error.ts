/** What every error of this package says. */
export interface CodedErrorDetails {
  /** Stable, upper snake case, for example `RATE_OUT_OF_RANGE`; part of the public contract. */
  readonly code: string;
  /** What is wrong, in the user's terms. */
  readonly problem: string;
  /** The value that was given, already safe to show. */
  readonly given?: string;
  /** What is allowed, with unit and range. */
  readonly allowed?: string;
  /** What to do now. */
  readonly nextStep: string;
  readonly cause?: unknown;
}

/** The one base of all errors of this package: a stable code, what was given, what is allowed, the next step. */
export class CodedError extends Error {
  override readonly name: string = 'CodedError';
  readonly code: string;
  readonly given?: string;
  readonly allowed?: string;
  readonly nextStep: string;

  constructor(details: CodedErrorDetails) {
    super(describe(details), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    if (details.given !== undefined) this.given = details.given;
    if (details.allowed !== undefined) this.allowed = details.allowed;
    this.nextStep = details.nextStep;
  }
}

function describe({ code, problem, given, allowed, nextStep }: CodedErrorDetails): string {
  const parts = [`${code}: ${problem}`];
  if (given !== undefined) parts.push(`given: ${given}`);
  if (allowed !== undefined) parts.push(`allowed: ${allowed}`);
  parts.push(`next: ${nextStep}`);
  return parts.join(' · ');
}
