import type { Clock, Timer } from './clock';

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/** Event-loop turns without a new hold or timer after which the engine counts as idle. */
const QUIET_TURNS = 5;

/**
 * Time that passes only when told to, from timer to timer, and never while work is under way.
 * Between two timers the clock waits until every hold is released and the event loop has gone quiet.
 */
export class SimulatedClock implements Clock {
  private current: number;
  private order = 0;
  private holds = 0;
  private activity = 0;
  private readonly heap: Entry[] = [];

  constructor(start: number | Date = Date.UTC(2026, 0, 5, 9, 0, 0)) {
    this.current = typeof start === 'number' ? start : start.getTime();
  }

  now(): number {
    return this.current;
  }

  after(ms: number, callback: () => void): Timer {
    const entry = { due: this.current + Math.max(0, ms), order: this.order++, callback, cancelled: false };
    this.activity++;
    this.push(entry);
    return {
      cancel: () => {
        entry.cancelled = true;
      },
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  hold(): () => void {
    this.holds++;
    this.activity++;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.holds--;
      this.activity++;
    };
  }

  /** Waits until nothing is under way, without letting time pass. */
  async settle(): Promise<void> {
    let quiet = 0;
    let seen = this.activity;
    while (quiet < QUIET_TURNS || this.holds > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.holds > 0) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        quiet = 0;
      } else if (this.activity !== seen) {
        quiet = 0;
      } else {
        quiet++;
      }
      seen = this.activity;
    }
  }

  /** Lets `ms` pass, running every timer that falls due, in order, each at its own time. */
  async advance(ms: number): Promise<void> {
    await this.advanceUntil(this.current + ms, () => false);
  }

  /**
   * Lets time pass until `done` holds, and answers whether it did within `limitMs`.
   * `done` is asked after every timer, when the engine has gone idle.
   */
  async runUntil(done: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
    return this.advanceUntil(this.current + limitMs, done);
  }

  private async advanceUntil(target: number, done: () => boolean | Promise<boolean>): Promise<boolean> {
    await this.settle();
    for (;;) {
      if (await done()) return true;
      const next = this.peek();
      if (next === undefined || next.due > target) break;
      this.current = Math.max(this.current, next.due);
      while (this.peek()?.due !== undefined && (this.peek()?.due ?? Infinity) <= this.current) {
        this.pop()?.callback();
      }
      await this.settle();
    }
    this.current = Math.max(this.current, target);
    return done();
  }

  private peek(): Entry | undefined {
    for (;;) {
      const first = this.heap[0];
      if (first === undefined || !first.cancelled) return first;
      this.removeFirst();
    }
  }

  private pop(): Entry | undefined {
    const first = this.peek();
    if (first !== undefined) this.removeFirst();
    return first;
  }

  private push(entry: Entry): void {
    const heap = this.heap;
    heap.push(entry);
    let index = heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, heap[parent] as Entry)) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  private removeFirst(): void {
    const heap = this.heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++;
      if (!isBefore(heap[child] as Entry, last)) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
