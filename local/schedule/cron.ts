import { timeOfWall, wallTime, weekdayOf } from './local-time';

/** A schedule that can't be read, with what is allowed. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
}

type DayTest = (year: number, month: number, day: number) => boolean;

export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[];
  readonly years: readonly number[];
  readonly isDay: DayTest;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const DAY_MS = 86_400_000;

/**
 * Reads `minutes hours day-of-month month day-of-week year`.
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based
 */
export function parseCron(text: string): Cron {
  const fields = text.trim().split(/\s+/);
  const [minutes = '', hours = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = fields;
  if (fields.length !== 6)
    throw new ScheduleError(
      `cron(${text}) has ${fields.length} fields; minutes hours day-of-month month day-of-week year are six`,
    );
  if ((dayOfMonth === '?') === (dayOfWeek === '?'))
    throw new ScheduleError(`cron(${text}) needs ? as either day-of-month or day-of-week, not both`);
  return {
    minutes: numbers(minutes, 0, 59),
    hours: numbers(hours, 0, 23),
    months: numbers(month, 1, 12, MONTHS, 1),
    years: numbers(year, 1970, 2199),
    isDay: dayOfWeek === '?' ? dayOfMonthTest(dayOfMonth) : dayOfWeekTest(dayOfWeek),
  };
}

/** The first time after `after` at which the cron runs in the zone, or undefined when its years are over. */
export function nextOfCron(cron: Cron, after: number, zone: string): number | undefined {
  const start = wallTime(after, zone);
  const today = Date.UTC(start.year, start.month - 1, start.day);
  let date = today;
  const last = cron.years.at(-1) ?? 0;
  for (let year = start.year; year <= last; date += DAY_MS) {
    const at = new Date(date);
    year = at.getUTCFullYear();
    const [month, day] = [at.getUTCMonth() + 1, at.getUTCDate()];
    if (!cron.years.includes(year)) {
      date = Date.UTC(year, 11, 31);
      continue;
    }
    if (!cron.months.includes(month) || !cron.isDay(year, month, day)) continue;
    const isToday = date === today;
    const found = firstOfDay(
      cron,
      { year, month, day },
      zone,
      (hour, minute) => isToday && (hour < start.hour || (hour === start.hour && minute < start.minute)),
      after,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `isOver` spares the conversion of wall times that can't be after the given time. */
function firstOfDay(
  { hours, minutes }: Cron,
  date: { readonly year: number; readonly month: number; readonly day: number },
  zone: string,
  isOver: (hour: number, minute: number) => boolean,
  after: number,
): number | undefined {
  for (const hour of hours)
    for (const minute of minutes) {
      if (isOver(hour, minute)) continue;
      const at = timeOfWall({ ...date, hour, minute, second: 0 }, zone);
      if (at !== undefined && at > after) return at;
    }
  return undefined;
}

function numbers(field: string, from: number, to: number, names: readonly string[] = [], base = 0): number[] {
  const found = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step] = part.split('/');
    const [first = '', last] = range.split('-');
    const everything = first === '*' || first === '?';
    const low = everything ? from : numberAt(first, names, base);
    const high = everything
      ? to
      : last !== undefined
        ? numberAt(last, names, base)
        : step === undefined
          ? low
          : to;
    const by = step === undefined ? 1 : Number(step);
    if (!(low >= from && high <= to && low <= high && by >= 1))
      throw new ScheduleError(`'${part}' is no part of a cron field from ${from} to ${to}`);
    for (let value = low; value <= high; value += by) found.add(value);
  }
  return [...found].sort((a, b) => a - b);
}

function numberAt(text: string, names: readonly string[], base: number): number {
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return named + base;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** `L` is the last day, `15W` the weekday nearest to the 15th. */
function dayOfMonthTest(field: string): DayTest {
  if (field === 'L') return (year, month, day) => day === daysOf(year, month);
  const near = /^(\d+|L)W$/.exec(field)?.[1];
  if (near !== undefined)
    return (year, month, day) =>
      day === nearestWeekday(year, month, near === 'L' ? daysOf(year, month) : Number(near));
  const days = numbers(field, 1, 31);
  return (_year, _month, day) => days.includes(day);
}

/** `FRI#2` is the second Friday of the month, `6L` the last one. */
function dayOfWeekTest(field: string): DayTest {
  const nth = /^(\w+)#([1-5])$/.exec(field);
  const last = /^(\w+)L$/.exec(field)?.[1];
  if (nth !== null) {
    const [weekday] = numbers(nth[1] ?? '', 1, 7, WEEKDAYS, 1);
    return (year, month, day) =>
      weekdayOf(year, month, day) === weekday && Math.ceil(day / 7) === Number(nth[2]);
  }
  if (last !== undefined) {
    const [weekday] = numbers(last, 1, 7, WEEKDAYS, 1);
    return (year, month, day) => weekdayOf(year, month, day) === weekday && day + 7 > daysOf(year, month);
  }
  const weekdays = field === 'L' ? [7] : numbers(field, 1, 7, WEEKDAYS, 1);
  return (year, month, day) => weekdays.includes(weekdayOf(year, month, day));
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function nearestWeekday(year: number, month: number, day: number): number {
  const weekday = weekdayOf(year, month, day);
  if (weekday === 7) return day === 1 ? 3 : day - 1;
  if (weekday === 1) return day === daysOf(year, month) ? day - 2 : day + 1;
  return day;
}
