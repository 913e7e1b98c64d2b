import { nextOfCron, parseCron, ScheduleError } from './cron';
import { timeOfWall, wallTime } from './local-time';

export { ScheduleError } from './cron';

export interface ScheduleExpression {
  readonly kind: 'rate' | 'cron' | 'at';
  /** The first time after `after`, in milliseconds since the epoch; undefined when it never comes again. */
  next(after: number): number | undefined;
}

export interface ScheduleSettings {
  /** IANA name. Default UTC. */
  readonly timeZone?: string;
  /** From when a rate counts: a schedule runs one period after it was made. */
  readonly madeAt: number;
}

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Reads `rate(5 minutes)`, `cron(0 9 ? * MON-FRI *)` or `at(2026-01-05T09:00:00)`. Throws a ScheduleError that
 * says what is allowed.
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
export function parseSchedule(
  text: string,
  { timeZone = 'UTC', madeAt }: ScheduleSettings,
): ScheduleExpression {
  const [, kind, inner = ''] = /^(rate|cron|at)\((.*)\)$/.exec(text.trim()) ?? [];
  checkZone(timeZone, madeAt);
  if (kind === 'rate') {
    const every = rateOf(inner);
    return { kind, next: (after) => madeAt + (Math.floor((after - madeAt) / every) + 1) * every };
  }
  if (kind === 'cron') {
    const cron = parseCron(inner);
    return { kind, next: (after) => nextOfCron(cron, after, timeZone) };
  }
  if (kind === 'at') {
    const at = timeOfAt(inner, timeZone);
    return { kind, next: (after) => (at > after ? at : undefined) };
  }
  throw new ScheduleError(
    `'${text}' is no schedule; rate(5 minutes), cron(0 9 * * ? *) and at(2026-01-05T09:00:00) are`,
  );
}

function rateOf(inner: string): number {
  const [, count = '0', unit = ''] = /^(\d+)\s+(minute|hour|day)s?$/.exec(inner.trim()) ?? [];
  const every = Number(count) * (UNITS[unit] ?? 0);
  if (every > 0) return every;
  throw new ScheduleError(
    `rate(${inner}) is no rate; a count of minutes, hours or days is, such as rate(5 minutes)`,
  );
}

function timeOfAt(inner: string, zone: string): number {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/.exec(inner.trim());
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (match ?? []).slice(1).map(Number);
  const at = match === null ? undefined : timeOfWall({ year, month, day, hour, minute, second }, zone);
  if (at !== undefined) return at;
  throw new ScheduleError(`at(${inner}) is no time in ${zone}; yyyy-mm-ddThh:mm:ss is, without a zone`);
}

function checkZone(zone: string, at: number): void {
  try {
    wallTime(at, zone);
  } catch {
    throw new ScheduleError(`'${zone}' is no time zone; an IANA name such as Europe/Vienna is`);
  }
}
