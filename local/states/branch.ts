import type { Clock, Timer } from '../clock/clock';
import { BranchCancelled, type ExecutionEnded } from './states-error';

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

  done(): void {
    this.release?.();
    this.release = undefined;
  }

  /** Waits for something that needs time to pass, or for work of others. Rejects when the branch ends. */
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

  /**
   * Runs branches of its own side by side. The first that fails ends the others at once, and its error goes on
   * when all of them have ended, so that nothing is recorded after it.
   */
  async together<T>(work: readonly ((branch: () => Branch) => Promise<T>)[]): Promise<T[]> {
    this.ended.check();
    const group = this.ended.child();
    const fork = (): Branch => {
      const branch = new Branch(this.clock, group.signal);
      branch.lastEvent = this.lastEvent;
      return branch;
    };
    let failure: { readonly reason: unknown } | undefined;
    const running = work.map(async (start) => {
      try {
        return await start(fork);
      } catch (reason) {
        failure ??= { reason };
        group.signal.raise(new BranchCancelled());
        return undefined as never;
      }
    });
    this.done();
    try {
      const results = await Promise.all(running);
      this.ended.check();
      if (failure !== undefined) throw failure.reason;
      return results;
    } finally {
      group.detach();
      this.release = this.clock.hold();
    }
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

type End = ExecutionEnded | BranchCancelled;

/** Tells every branch that the execution is over, or that its group of branches is. */
export class EndSignal {
  private end: End | undefined;
  private readonly listeners = new Set<(end: End) => void>();

  raise(end: End): void {
    if (this.end !== undefined) return;
    this.end = end;
    for (const listener of [...this.listeners]) listener(end);
  }

  check(): void {
    if (this.end !== undefined) throw this.end;
  }

  /** A signal that is raised with this one, and can be raised alone. */
  child(): { readonly signal: EndSignal; detach(): void } {
    const signal = new EndSignal();
    const listener = (end: End): void => signal.raise(end);
    this.listeners.add(listener);
    return { signal, detach: () => this.listeners.delete(listener) };
  }

  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const listener = (end: End): void => reject(end);
      this.listeners.add(listener);
      work.then(resolve, reject).finally(() => this.listeners.delete(listener));
    });
  }
}
