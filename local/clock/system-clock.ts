import type { Clock, Timer } from './clock';

const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Real time. Its timers keep the process alive only as long as the servers do. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  after(ms: number, callback: () => void): Timer {
    const due = Date.now() + Math.max(0, ms);
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      const left = due - Date.now();
      handle = setTimeout(
        left > LONGEST_TIMEOUT ? arm : callback,
        Math.min(Math.max(0, left), LONGEST_TIMEOUT),
      );
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  hold(): () => void {
    return () => {};
  }
}
