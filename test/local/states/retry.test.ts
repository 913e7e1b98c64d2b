import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesError, RetryState } from '../../../local/states/retry';

describe('error names', () => {
  it.each([
    ['Mine', ['Mine'], true],
    ['Mine', ['States.ALL'], true],
    ['Mine', ['States.TaskFailed'], true],
    ['Mine', ['Other', 'States.Timeout'], false],
    ['States.Timeout', ['States.TaskFailed'], false],
    ['States.Timeout', ['States.ALL'], true],
    ['States.QueryEvaluationError', ['States.ALL'], true],
    ['States.Runtime', ['States.ALL'], false],
    ['States.DataLimitExceeded', ['States.ALL'], false],
    ['States.DataLimitExceeded', ['States.DataLimitExceeded'], true],
  ])('%s among %j: %s', (error, names, expected) => {
    expect(matchesError(error, names)).toBe(expected);
  });
});

describe('retriers', () => {
  it('wait 1, 2 and 4 s and give up, unless the definition says otherwise', () => {
    const state = new RetryState([{ ErrorEquals: ['A'] }]);
    expect([1, 2, 3, 4].map(() => state.delayFor('A', () => 0.5))).toEqual([1, 2, 4, undefined]);
  });

  it('are counted each for itself, and the first that matches decides alone', () => {
    const state = new RetryState([
      { ErrorEquals: ['A'], MaxAttempts: 1, IntervalSeconds: 3 },
      { ErrorEquals: ['States.ALL'], MaxAttempts: 2, IntervalSeconds: 7, BackoffRate: 1 },
    ]);
    const delays = ['A', 'B', 'A', 'B', 'B'].map((error) => state.delayFor(error, () => 0));
    expect(delays).toEqual([3, 7, undefined, 7, undefined]);
    expect(state.total).toBe(3);
  });

  it('never wait longer than the maximum, with or without jitter', () => {
    const delay = fc.record({
      interval: fc.integer({ min: 1, max: 60 }),
      rate: fc.double({ min: 1, max: 5, noNaN: true }),
      most: fc.integer({ min: 61, max: 600 }),
      attempts: fc.integer({ min: 1, max: 40 }),
      chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
      jitter: fc.constantFrom('FULL' as const, 'NONE' as const),
    });
    fc.assert(
      fc.property(delay, ({ interval, rate, most, attempts, chance, jitter }) => {
        const state = new RetryState([
          {
            ErrorEquals: ['A'],
            IntervalSeconds: interval,
            BackoffRate: rate,
            MaxDelaySeconds: most,
            MaxAttempts: attempts,
            JitterStrategy: jitter,
          },
        ]);
        for (let attempt = 0; attempt < attempts; attempt++) {
          const seconds = state.delayFor('A', () => chance) as number;
          const full = Math.min(most, interval * rate ** attempt);
          expect(seconds).toBeCloseTo(jitter === 'FULL' ? chance * full : full);
        }
        expect(state.delayFor('A', () => chance)).toBeUndefined();
      }),
    );
  });
});
