/** A wall clock reading; `month` from 1, `weekday` from 1 for Sunday as cron counts. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError for a name that is no time zone. */
export function wallTime(at: number, zone: string): WallTime {
  const part = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year = 0, month = 1, day = 1] = [part.get('year'), part.get('month'), part.get('day')];
  return {
    year,
    month,
    day,
    hour: part.get('hour') ?? 0,
    minute: part.get('minute') ?? 0,
    second: part.get('second') ?? 0,
    weekday: weekdayOf(year, month, day),
  };
}

export function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
}

/**
 * When a wall clock of the zone shows this time: the first time when it is shown twice, undefined when it is
 * never shown, as in the hour that daylight saving leaves out.
 */
export function timeOfWall(wall: Omit<WallTime, 'weekday'>, zone: string): number | undefined {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const found = [asUtc - 86_400_000, asUtc + 86_400_000]
    .map((near) => asUtc - offsetOf(near, zone))
    .filter((at) => at + offsetOf(at, zone) === asUtc);
  return found.length === 0 ? undefined : Math.min(...found);
}

function offsetOf(at: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const { year, month, day, hour, minute, second } = wallTime(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    formats.set(zone, format);
  }
  return format;
}
