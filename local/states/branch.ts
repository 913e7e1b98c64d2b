import type { Clock, Timer } from '../clock/clock';
import type { ExecutionEnded } from './states-error';

/** One line of work of an execution. It holds the clock while it works, and lets time pass while it waits. */
export class Branch {
  lastEvent = 0;
  private release: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ended: EndSignal,
  ) {
    this.release = clock.hold();
  }

  fork(): Branch {
    const branch = new Branch(this.clock, this.ended);
    branch.lastEvent = this.lastEvent;
    return branch;
  }

  done(): void {
    this.release?.();
    this.release = undefined;
  }

  /** Waits for something that needs time to pass, or for work of others. Rejects when the execution ends. */
  async awaiting<T>(work: Promise<T>): Promise<T> {
    this.ended.check();
    this.done();
    try {
      return await this.ended.race(work);
    } finally {
      this.release = this.clock.hold();
    }
  }

  /** Work that does not wait for time, such as a call. */
  async working<T>(work: Promise<T>): Promise<T> {
    this.ended.check();
    return this.ended.race(work);
  }

  timer(ms: number, callback: () => void): Timer {
    return this.clock.after(ms, callback);
  }

  sleep(ms: number): Promise<void> {
    let timer: Timer | undefined;
    const slept = new Promise<void>((resolve) => {
      timer = this.clock.after(ms, resolve);
    });
    return this.awaiting(slept).finally(() => timer?.cancel());
  }
}

/** Tells every branch that the execution is over. */
export class EndSignal {
  private end: ExecutionEnded | undefined;
  private readonly listeners = new Set<(end: ExecutionEnded) => void>();

  raise(end: ExecutionEnded): void {
    if (this.end !== undefined) return;
    this.end = end;
    for (const listener of [...this.listeners]) listener(end);
  }

  check(): void {
    if (this.end !== undefined) throw this.end;
  }

  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const listener = (end: ExecutionEnded): void => reject(end);
      this.listeners.add(listener);
      work.then(resolve, reject).finally(() => this.listeners.delete(listener));
    });
  }
}
