import type { Retrier } from './definition';
import { UNCATCHABLE_BY_ALL } from './states-error';

/** Whether an error name is among those that a retrier or catcher names. */
export function matchesError(error: string, names: readonly string[]): boolean {
  if (names.includes(error)) return true;
  if (UNCATCHABLE_BY_ALL.has(error)) return false;
  if (names.includes('States.ALL')) return true;
  // Everything that a task reports is a failed task, but a time-out. AWS calls it a wildcard for any known error
  // but States.Timeout; whether it takes other States.* names is not said, so nothing here depends on it.
  return names.includes('States.TaskFailed') && !error.startsWith('States.');
}

/** Remembers, for one visit of a state, how often each retrier was used. */
export class RetryState {
  total = 0;
  private readonly used: number[];

  constructor(private readonly retriers: readonly Retrier[]) {
    this.used = retriers.map(() => 0);
  }

  /** Seconds until the next attempt, or undefined when the error is not retried any more. */
  delayFor(error: string, random: () => number): number | undefined {
    const index = this.retriers.findIndex(({ ErrorEquals }) => matchesError(error, ErrorEquals));
    const retrier = this.retriers[index];
    if (retrier === undefined) return undefined;
    const used = this.used[index] ?? 0;
    if (used >= (retrier.MaxAttempts ?? 3)) return undefined;
    this.used[index] = used + 1;
    this.total++;
    const grown = (retrier.IntervalSeconds ?? 1) * (retrier.BackoffRate ?? 2) ** used;
    const capped = Math.min(grown, retrier.MaxDelaySeconds ?? Number.POSITIVE_INFINITY);
    return retrier.JitterStrategy === 'FULL' ? random() * capped : capped;
  }
}
