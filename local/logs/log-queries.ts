import type { LogEvent, LogGroup } from './log-group';
import { logFilter } from './log-pattern';

type Given = Readonly<Record<string, unknown>>;

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html */
const PAGE = 10_000;

/** Throws a LogPatternError for a pattern that is none. Times are inclusive. */
export function filterLogEvents(group: LogGroup, given: Given): object {
  const passes = logFilter(String(given['filterPattern'] ?? ''));
  const from = Number(given['startTime'] ?? 0);
  const until = Number(given['endTime'] ?? Number.POSITIVE_INFINITY);
  const names = given['logStreamNames'] as readonly string[] | undefined;
  const prefix = String(given['logStreamNamePrefix'] ?? '');
  const after = Number(given['nextToken'] ?? -1);
  const found = group
    .lines()
    .filter(
      ({ id, timestamp, stream, message }) =>
        id > after &&
        timestamp >= from &&
        timestamp <= until &&
        (names === undefined || names.includes(stream)) &&
        stream.startsWith(prefix) &&
        passes(message),
    );
  const events = found.slice(0, Number(given['limit'] ?? PAGE));
  return {
    events: events.map((event) => ({
      ...described(event),
      logStreamName: event.stream,
      eventId: String(event.id),
    })),
    ...(events.length < found.length ? { nextToken: String(events.at(-1)?.id) } : {}),
  };
}

/**
 * The latest page, or the first with `startFromHead`; tokens lead on from there, and an end answers its own token.
 * `endTime` is exclusive.
 * https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogEvents.html
 */
export function getLogEvents(group: LogGroup, given: Given): object {
  const from = Number(given['startTime'] ?? 0);
  const until = Number(given['endTime'] ?? Number.POSITIVE_INFINITY);
  const all = group
    .lines()
    .filter(
      ({ stream, timestamp }) => stream === given['logStreamName'] && timestamp >= from && timestamp < until,
    );
  const limit = Number(given['limit'] ?? PAGE);
  const [direction, at] = String(given['nextToken'] ?? '').split('/');
  let events: LogEvent[];
  if (direction === 'f') events = all.filter(({ id }) => id > Number(at)).slice(0, limit);
  else if (direction === 'b') events = all.filter(({ id }) => id < Number(at)).slice(-limit);
  else events = given['startFromHead'] === true ? all.slice(0, limit) : all.slice(-limit);
  const first = events.at(0)?.id ?? (direction === 'f' ? Number(at) + 1 : Number(at ?? 0));
  const last = events.at(-1)?.id ?? (direction === 'b' ? Number(at) - 1 : Number(at ?? -1));
  return {
    events: events.map(described),
    nextForwardToken: `f/${last}`,
    nextBackwardToken: `b/${first}`,
  };
}

function described({ timestamp, message }: LogEvent): object {
  return { timestamp, ingestionTime: timestamp, message };
}
