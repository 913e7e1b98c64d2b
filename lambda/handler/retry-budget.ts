/** Share of attempts that may be repeats before delays grow. */
const SHARE = 0.2;
const LONGEST_STRETCH = 4;
/** What one attempt still counts after the next. */
const MEMORY = 0.99;

/**
 * Over all messages of an execution environment: when too much of the traffic is repeats, all wait longer, so that
 * retries of many messages do not add up to a second outage.
 */
export class RetryBudget {
  private attempts = 0;
  private repeats = 0;

  seen(attempt: number): void {
    this.attempts = this.attempts * MEMORY + 1;
    this.repeats = this.repeats * MEMORY + (attempt > 1 ? 1 : 0);
  }

  /** From 1 to 4. */
  stretch(): number {
    if (this.attempts < 10) return 1;
    return Math.min(LONGEST_STRETCH, Math.max(1, this.repeats / this.attempts / SHARE));
  }
}
