import type { Timer } from '../clock/clock';
import type { Branch } from './branch';
import { StateFailure } from './states-error';

/** The time that a task may take, and the time until its next heartbeat. */
export class Deadline {
  private readonly whole: Timer | undefined;
  private pulse: Timer | undefined;
  private readonly over: Promise<never>;
  private reject: (failure: StateFailure) => void = () => {};

  constructor(
    private readonly branch: Branch,
    private readonly stateName: string,
    timeout: number | undefined,
    private readonly heartbeat: number | undefined,
  ) {
    this.over = new Promise((_, reject) => {
      this.reject = reject;
    });
    this.over.catch(() => {});
    this.whole = this.arm(timeout, 'States.Timeout');
    this.pulse = this.arm(heartbeat, 'States.HeartbeatTimeout');
  }

  within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.over]);
  }

  beat(): void {
    this.pulse?.cancel();
    this.pulse = this.arm(this.heartbeat, 'States.HeartbeatTimeout');
  }

  cancel(): void {
    this.whole?.cancel();
    this.pulse?.cancel();
  }

  private arm(seconds: number | undefined, error: string): Timer | undefined {
    if (seconds === undefined) return undefined;
    const why = `State '${this.stateName}' took longer than ${seconds} s.`;
    return this.branch.timer(seconds * 1000, () => this.reject(new StateFailure(error, why)));
  }
}
