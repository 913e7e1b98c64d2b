import { randomBytes } from 'node:crypto';
import { isTooLong, StateFailure, StatesApiError } from './states-error';

interface Waiting {
  resolve(output: unknown): void;
  reject(failure: StateFailure): void;
  beat(): void;
}

const FAMILY_BYTES = 16;
const TOKEN_BYTES = 96;

/** Tasks that wait for a callback. */
export class TaskTokens {
  private readonly waiting = new Map<string, Waiting>();
  /** How a token of this engine is known again after its task has ended, without remembering it. */
  private readonly family = randomBytes(FAMILY_BYTES);

  /** A new token, what it will bring, and how to forget it. */
  issue(beat: () => void): { readonly token: string; readonly result: Promise<unknown>; close(): void } {
    const token = Buffer.concat([this.family, randomBytes(TOKEN_BYTES - FAMILY_BYTES)]).toString('base64');
    const result = new Promise<unknown>((resolve, reject) => {
      this.waiting.set(token, { resolve, reject, beat });
    });
    // The one who waits may have gone when the answer comes.
    result.catch(() => {});
    return { token, result, close: () => void this.waiting.delete(token) };
  }

  succeed(token: unknown, output: unknown): void {
    const task = this.find(token);
    let value: unknown;
    try {
      value = JSON.parse(String(output));
    } catch {
      throw new StatesApiError('InvalidOutput', `Invalid Output: '${String(output).slice(0, 100)}'`);
    }
    if (isTooLong(String(output)))
      throw new StatesApiError('InvalidOutput', 'Invalid Output: it is longer than 262144 bytes');
    this.waiting.delete(String(token));
    task.resolve(value);
  }

  fail(token: unknown, error: unknown, cause: unknown): void {
    const task = this.find(token);
    this.waiting.delete(String(token));
    task.reject(new StateFailure(String(error ?? 'States.TaskFailed'), String(cause ?? '')));
  }

  heartbeat(token: unknown): void {
    this.find(token).beat();
  }

  private find(token: unknown): Waiting {
    const task = this.waiting.get(String(token));
    if (task !== undefined) return task;
    const bytes = Buffer.from(String(token), 'base64');
    if (bytes.length !== TOKEN_BYTES) throw new StatesApiError('InvalidToken', `Invalid Token: '${token}'`);
    if (bytes.subarray(0, FAMILY_BYTES).equals(this.family))
      throw new StatesApiError(
        'TaskTimedOut',
        'Task Timed Out: the token has expired, or its task has already been closed',
      );
    throw new StatesApiError('TaskDoesNotExist', 'Task does not exist');
  }
}
