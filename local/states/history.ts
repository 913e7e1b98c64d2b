import { ExecutionEnded, MAXIMUM_EVENTS } from './states-error';

export interface HistoryEvent {
  readonly id: number;
  readonly previousEventId: number;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly type: string;
  /** Name and content of the details field, such as `stateEnteredEventDetails`. */
  readonly details?: readonly [name: string, content: object];
}

/** What happened in an execution. The 25,000th event is its failure. */
export class History {
  readonly events: HistoryEvent[] = [];

  constructor(private readonly now: () => number) {}

  /** Answers the id of the event. */
  add(type: string, previousEventId: number, details?: HistoryEvent['details']): number {
    if (this.events.length === MAXIMUM_EVENTS - 1 && !type.startsWith('Execution'))
      throw new ExecutionEnded(
        'FAILED',
        'States.Runtime',
        `The execution reached the maximum number of history events (${MAXIMUM_EVENTS}).`,
      );
    const id = this.events.length + 1;
    this.events.push({
      id,
      previousEventId,
      timestamp: this.now(),
      type,
      ...(details === undefined ? {} : { details }),
    });
    return id;
  }
}
