import { ExecutionEnded, MAXIMUM_EVENTS } from './states-error';

export interface HistoryEvent {
  readonly id: number;
  readonly previousEventId: number;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly type: string;
  /** Content of the details field that belongs to the type; inputs and outputs as values, not as text. */
  readonly details: object | undefined;
}

/**
 * What happened in an execution. The 25,000th event is its failure. One array for each column: at 25,000 events
 * an execution, an object for each event would be most of the memory of the engine.
 */
export class History {
  private readonly types: string[] = [];
  private readonly previous: number[] = [];
  private readonly timestamps: number[] = [];
  private readonly details: (object | undefined)[] = [];

  /** `maximum`: executions of an EXPRESS machine have no limit of events. */
  constructor(
    private readonly now: () => number,
    private readonly maximum = MAXIMUM_EVENTS,
  ) {}

  get length(): number {
    return this.types.length;
  }

  /** All of them, made anew for each call. */
  get events(): HistoryEvent[] {
    return this.slice(0, this.length);
  }

  /** Answers the id of the event. */
  add(type: string, previousEventId: number, details?: object): number {
    if (this.types.length >= this.maximum - 1 && !type.startsWith('Execution'))
      throw new ExecutionEnded(
        'FAILED',
        'States.Runtime',
        `The execution reached the maximum number of history events (${this.maximum}).`,
      );
    this.types.push(type);
    this.previous.push(previousEventId);
    this.timestamps.push(this.now());
    this.details.push(details);
    return this.types.length;
  }

  /** Events by position, from 0. */
  slice(from: number, to: number): HistoryEvent[] {
    const events: HistoryEvent[] = [];
    for (let index = Math.max(0, from); index < Math.min(to, this.length); index++)
      events.push({
        id: index + 1,
        previousEventId: this.previous[index] as number,
        timestamp: this.timestamps[index] as number,
        type: this.types[index] as string,
        details: this.details[index],
      });
    return events;
  }
}

/** https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html */
export function detailsField(type: string): string {
  if (type.endsWith('StateEntered')) return 'stateEnteredEventDetails';
  if (type.endsWith('StateExited')) return 'stateExitedEventDetails';
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`;
}
