import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../../local/schedule/schedule-expression';

const START = '2026-01-05T09:00:00Z';

function next(text: string, after = START, timeZone = 'UTC'): string | undefined {
  const found = parseSchedule(text, { timeZone, madeAt: Date.parse(START) }).next(Date.parse(after));
  return found === undefined ? undefined : new Date(found).toISOString().replace('.000', '');
}

describe('a schedule expression', () => {
  it.each([
    ['rate(5 minutes)', START, '2026-01-05T09:05:00Z'],
    ['rate(5 minutes)', '2026-01-05T09:07:00Z', '2026-01-05T09:10:00Z'],
    ['rate(1 hour)', START, '2026-01-05T10:00:00Z'],
    ['rate(2 days)', START, '2026-01-07T09:00:00Z'],
    ['at(2026-01-05T09:30:00)', START, '2026-01-05T09:30:00Z'],
    ['at(2026-01-05T09:00:00)', START, undefined],
    ['cron(* * * * ? *)', START, '2026-01-05T09:01:00Z'],
    ['cron(0/15 * * * ? *)', '2026-01-05T09:45:00Z', '2026-01-05T10:00:00Z'],
    ['cron(0 9 ? * MON-FRI *)', '2026-01-09T09:00:00Z', '2026-01-12T09:00:00Z'],
    ['cron(30 8,20 * * ? *)', START, '2026-01-05T20:30:00Z'],
    ['cron(0 0 1 JAN ? *)', START, '2027-01-01T00:00:00Z'],
    ['cron(0 0 L * ? *)', START, '2026-01-31T00:00:00Z'],
    ['cron(0 0 29 2 ? *)', START, '2028-02-29T00:00:00Z'],
    ['cron(0 0 31W * ? *)', START, '2026-01-30T00:00:00Z'],
    ['cron(0 0 1W 8 ? *)', START, '2026-08-03T00:00:00Z'],
    ['cron(0 0 ? * FRI#2 *)', START, '2026-01-09T00:00:00Z'],
    ['cron(0 0 ? * 6L *)', START, '2026-01-30T00:00:00Z'],
    ['cron(0 0 ? * 1 2026)', '2026-12-27T00:00:00Z', undefined],
    ['cron(0 0 31 2 ? *)', START, undefined],
  ])('%s after %s is %s', (text, after, expected) => {
    expect(next(text, after)).toBe(expected);
  });

  it.each([
    ['cron(30 9 * * ? *)', '2026-01-05T09:00:00Z', 'Asia/Kolkata', '2026-01-06T04:00:00Z'],
    ['cron(0 9 * * ? *)', '2026-07-01T00:00:00Z', 'Europe/Vienna', '2026-07-01T07:00:00Z'],
    ['at(2026-02-01T08:00:00)', START, 'America/New_York', '2026-02-01T13:00:00Z'],
    ['cron(0 23 * * ? *)', '2026-01-06T06:00:00Z', 'America/Los_Angeles', '2026-01-06T07:00:00Z'],
  ])('%s after %s in %s is %s', (text, after, zone, expected) => {
    expect(next(text, after, zone)).toBe(expected);
  });

  it('leaves out the day on which its hour is never shown, and runs once when it is shown twice', () => {
    const run = (after: string) => next('cron(30 2 * * ? *)', after, 'Europe/Vienna');
    expect(run('2026-03-28T02:00:00Z')).toBe('2026-03-30T00:30:00Z');
    expect(run('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00Z');
    expect(run('2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00Z');
  });

  it.each([
    ['rate(0 minutes)', /no rate/],
    ['rate(5 seconds)', /minutes, hours or days/],
    ['cron(0 9 * * *)', /has 5 fields/],
    ['cron(0 9 * * * *)', /needs \?/],
    ['cron(0 9 ? * ? *)', /needs \?/],
    ['cron(60 9 * * ? *)', /from 0 to 59/],
    ['cron(0 9 ? * FOO *)', /from 1 to 7/],
    ['at(2026-01-05)', /no time/],
    ['every day', /no schedule/],
  ])('%s is refused', (text, message) => {
    expect(() => next(text)).toThrow(message);
  });

  it('refuses a zone that is none', () => {
    expect(() => next('rate(1 day)', START, 'Vienna')).toThrow(/Europe\/Vienna/);
  });

  it('finds every minute of two weeks in a zone', () => {
    const { next: step } = parseSchedule('cron(* * * * ? *)', { timeZone: 'Europe/Vienna', madeAt: 0 });
    let at = Date.parse(START);
    for (let count = 0; count < 14 * 24 * 60; count++) at = step(at) ?? 0;
    expect(at).toBe(Date.parse('2026-01-19T09:00:00Z'));
  });
});
