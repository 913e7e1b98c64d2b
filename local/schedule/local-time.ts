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

/** Zones change their offset on a quarter of an hour, so that one look-up serves for all of it. */
const QUARTER_MS = 15 * 60_000;
const REMEMBERED = 10_000;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Offsets in milliseconds by quarter of an hour. */
  readonly offsets: Map<number, number>;
}

const zones = new Map<string, Zone>();

/** Throws a RangeError for a name that is no time zone. */
export function wallTime(at: number, zone: string): WallTime {
  const shown = new Date(at + offsetOf(at, zone));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
    weekday: shown.getUTCDay() + 1,
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

function offsetOf(at: number, name: string): number {
  if (name === 'UTC') return 0;
  const { format, offsets } = zoneOf(name);
  const quarter = Math.floor(at / QUARTER_MS);
  let offset = offsets.get(quarter);
  if (offset === undefined) {
    const begin = quarter * QUARTER_MS;
    const part = new Map(format.formatToParts(begin).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, day = 1] = [part.get('year'), part.get('month'), part.get('day')];
    const [hour = 0, minute = 0, second = 0] = [part.get('hour'), part.get('minute'), part.get('second')];
    offset = Date.UTC(year, month - 1, day, hour, minute, second) - begin;
    if (offsets.size >= REMEMBERED) offsets.clear();
    offsets.set(quarter, offset);
  }
  return offset;
}

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    zone = { format, offsets: new Map() };
    zones.set(name, zone);
  }
  return zone;
}
