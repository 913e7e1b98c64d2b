import type { Clock, Timer } from '../clock/clock';
import { type InvocationResult, ThrottledError } from '../gateway/ports';

/** https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const ERROR_WAITS_MS = [60_000, 120_000];
const LONGEST_THROTTLE_MS = 300_000;
const MAXIMUM_AGE_MS = 6 * 3_600_000;

/** Asynchronous invocations: twice more after an error, and for six hours while throttled. */
export class AsynchronousInvocations {
  private readonly timers = new Set<Timer>();
  private stopped = false;

  constructor(private readonly clock: Clock) {}

  async run(invoke: () => Promise<InvocationResult>): Promise<void> {
    const giveUpAt = this.clock.now() + MAXIMUM_AGE_MS;
    let errors = 0;
    let throttle = 1_000;
    while (!this.stopped) {
      let wait: number | undefined;
      try {
        const { functionError } = await invoke();
        if (functionError === undefined) return;
        wait = ERROR_WAITS_MS[errors++];
      } catch (error) {
        if (!(error instanceof ThrottledError)) return;
        wait = throttle;
        throttle = Math.min(throttle * 2, LONGEST_THROTTLE_MS);
      }
      if (wait === undefined || this.clock.now() + wait > giveUpAt) return;
      await this.pause(wait);
    }
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.after(ms, () => {
        this.timers.delete(timer);
        resolve();
      });
      this.timers.add(timer);
    });
  }
}
