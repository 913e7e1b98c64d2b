/** A scheduled callback that can be withdrawn. Cancelling twice, or after it ran, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The one source of time of the embedded engine. Every timer of every service comes from here, so that a
 * test can let 14 days pass in milliseconds.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;

  /** Runs `callback` once, `ms` from now (0 or less: at the next opportunity, never synchronously). */
  after(ms: number, callback: () => void): Timer;

  /** Resolves `ms` from now. */
  sleep(ms: number): Promise<void>;

  /**
   * Says that work is under way which is not waiting for time (an HTTP exchange, a handler that runs).
   * A simulated clock stands still until every hold is released. Call the result exactly once, in a
   * `finally`. Never hold while waiting for a timer: a simulated clock would wait for ever.
   */
  hold(): () => void;
}
