import { randomBytes } from 'node:crypto';
import { StateFailure, StatesApiError } from './states-error';

interface Waiting {
  resolve(output: unknown): void;
  reject(failure: StateFailure): void;
  beat(): void;
}

/** Tasks that wait for a callback. */
export class TaskTokens {
  private readonly waiting = new Map<string, Waiting>();
  private readonly over = new Set<string>();

  /** A new token, what it will bring, and how to forget it. */
  issue(beat: () => void): { readonly token: string; readonly result: Promise<unknown>; close(): void } {
    const token = randomBytes(96).toString('base64');
    const result = new Promise<unknown>((resolve, reject) => {
      this.waiting.set(token, { resolve, reject, beat });
    });
    // The one who waits may have gone when the answer comes.
    result.catch(() => {});
    const close = (): void => {
      this.waiting.delete(token);
      this.over.add(token);
    };
    return { token, result, close };
  }

  succeed(token: unknown, output: unknown): void {
    const task = this.take(token);
    let value: unknown;
    try {
      value = JSON.parse(String(output));
    } catch {
      throw new StatesApiError('InvalidOutput', `Invalid Output: '${String(output).slice(0, 100)}'`);
    }
    task.resolve(value);
  }

  fail(token: unknown, error: unknown, cause: unknown): void {
    this.take(token).reject(new StateFailure(String(error ?? 'States.TaskFailed'), String(cause ?? '')));
  }

  heartbeat(token: unknown): void {
    this.take(token).beat();
  }

  private take(token: unknown): Waiting {
    const task = this.waiting.get(String(token));
    if (task === undefined)
      throw this.over.has(String(token))
        ? new StatesApiError('TaskTimedOut', 'Task Timed Out: The task is no longer waiting.')
        : new StatesApiError('InvalidToken', 'Invalid Token');
    return task;
  }
}
