import type { Clock, Timer } from '../clock/clock';

interface Waiter<T> {
  try(): T | undefined;
  end(result: T | undefined): void;
}

/** Long polls of one queue, first come first served. A poll ends as soon as there is something for it. */
export class PollLine<T> {
  private readonly waiters = new Set<Waiter<T>>();
  private waking = false;

  constructor(private readonly clock: Clock) {}

  /** Answers what `attempt` yields once it yields something, or undefined after `waitMs` or when `signal` aborts. */
  wait(waitMs: number, attempt: () => T | undefined, signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const waiter: Waiter<T> = {
        try: attempt,
        end: (result) => {
          this.waiters.delete(waiter);
          timer?.cancel();
          signal?.removeEventListener('abort', abort);
          resolve(result);
        },
      };
      const abort = (): void => waiter.end(undefined);
      if (signal?.aborted) {
        resolve(undefined);
        return;
      }
      signal?.addEventListener('abort', abort);
      timer = this.clock.after(waitMs, abort);
      this.waiters.add(waiter);
    });
  }

  /** Something became visible. What arrives in one batch is handed out as one. */
  wake(): void {
    if (this.waking || this.waiters.size === 0) return;
    this.waking = true;
    queueMicrotask(() => {
      this.waking = false;
      for (const waiter of [...this.waiters]) {
        const result = waiter.try();
        if (result === undefined) return;
        waiter.end(result);
      }
    });
  }

  endAll(): void {
    for (const waiter of [...this.waiters]) waiter.end(undefined);
  }
}
