/** A failure with a name, as Retry and Catch see it. https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html */
export class StateFailure extends Error {
  override readonly name = 'StateFailure';
  constructor(
    readonly error: string,
    readonly reason: string,
  ) {
    super(`${error}: ${reason}`);
  }
}

/** The execution is over; nothing in it may catch this. */
export class ExecutionEnded extends Error {
  override readonly name = 'ExecutionEnded';
  constructor(
    readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED',
    readonly error?: string,
    readonly reason?: string,
  ) {
    super(`${status} ${error ?? ''}`);
  }
}

/** A sibling failed, so this branch is over; nothing in it may catch this. */
export class BranchCancelled extends Error {
  override readonly name = 'BranchCancelled';
}

/** A wrong request. */
export class StatesApiError extends Error {
  override readonly name = 'StatesApiError';
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** These pass `States.ALL` by. */
export const UNCATCHABLE_BY_ALL: ReadonlySet<string> = new Set([
  'States.Runtime',
  'States.DataLimitExceeded',
]);

/** https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
export const MAXIMUM_DATA_BYTES = 262_144;
export const MAXIMUM_EVENTS = 25_000;

/** Throws when a state's data is larger than Step Functions carries. */
export function checkSize(value: unknown, stateName: string): void {
  const text = JSON.stringify(value) ?? '';
  if (isTooLong(text))
    throw new StateFailure(
      'States.DataLimitExceeded',
      `The state/task '${stateName}' returned a result with a size exceeding the maximum number of bytes service limit.`,
    );
}

export function isTooLong(text: string): boolean {
  return text.length * 3 > MAXIMUM_DATA_BYTES && Buffer.byteLength(text) > MAXIMUM_DATA_BYTES;
}
