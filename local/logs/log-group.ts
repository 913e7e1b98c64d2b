export interface LogEvent {
  /** Counts up over the life of the group. */
  readonly id: number;
  readonly timestamp: number;
  readonly stream: string;
  readonly message: string;
}

/** Lines kept for each group; older ones make room. */
export const KEPT_LINES = 10_000;
/** Cut in one go, since each cut moves all that is kept. */
const SLACK = 1_000;

/** The lines of one log group, oldest first. */
export class LogGroup {
  private events: LogEvent[] = [];
  private count = 0;

  constructor(
    readonly name: string,
    readonly createdAt: number,
  ) {}

  write(timestamp: number, stream: string, message: string): void {
    this.events.push({ id: this.count++, timestamp, stream, message });
    if (this.events.length >= KEPT_LINES + SLACK) this.events = this.events.slice(-KEPT_LINES);
  }

  lines(): readonly LogEvent[] {
    return this.events.length > KEPT_LINES ? this.events.slice(-KEPT_LINES) : this.events;
  }

  /** First and last time of every stream, the one that was begun first comes first. */
  streams(): ReadonlyMap<string, { readonly first: number; readonly last: number }> {
    const streams = new Map<string, { first: number; last: number }>();
    for (const { stream, timestamp } of this.lines()) {
      const known = streams.get(stream);
      if (known === undefined) streams.set(stream, { first: timestamp, last: timestamp });
      else known.last = timestamp;
    }
    return streams;
  }
}
