import type { IsolationReason, OutcomeKind } from './records';
import type { RedrivePlan } from './redrive-plan';
import type { RunEnding, RunState } from './run-states';

/** Messages by what happened to them on the way out of the dead-letter queue. */
export interface MoveCounts {
  readonly sent: number;
  /** Deleted with reason and approval. */
  readonly discarded: number;
  /** Met and left alone: not selected. */
  readonly notSelected: number;
  /** Left alone because they came back too often. */
  readonly parked: number;
  /** Found in the dead-letter queue though sent before, and deleted there: a crash had come between. */
  readonly reconciled: number;
  /** SQS would not take them; still in the dead-letter queue. */
  readonly refused: number;
  /** Slices that were begun, and that came to their end: the difference died on the way. */
  readonly slicesBegun: number;
  readonly slicesEnded: number;
}

export interface OutcomeCounts {
  readonly succeeded: number;
  readonly returned: number;
  readonly expired: number;
}

export interface RunRecord {
  readonly runId: string;
  readonly plan: RedrivePlan;
  readonly state: RunState;
  /** Grows with every change, so that two writers never undo each other. */
  readonly version: number;
  readonly ending?: RunEnding;
  /** Why it stopped, was refused or failed. */
  readonly why?: string;
  /** Current rate, which the operator may change. */
  readonly rate: number;
  readonly rampStep: number;
  /** Fraction of a message that the last slice left over. */
  readonly owed: number;
  readonly counts: MoveCounts;
  readonly outcomes: OutcomeCounts;
  /** What an operator asked for and the mover has not seen yet. */
  readonly requested?: 'pause' | 'cancel';
  readonly pausedFrom?: 'canary' | 'running';
  /** Of the paused execution. */
  readonly taskToken?: string;
  readonly executionArn?: string;
  readonly approvedBy?: string;
  readonly signatures: readonly string[];
  readonly createdAt: string;
  readonly startedAt?: string;
  /** Of the state that it is in. */
  readonly since: string;
  readonly lastSentAt?: string;
  readonly endedAt?: string;
  readonly report?: string;
}

export const NOTHING_MOVED: MoveCounts = {
  sent: 0,
  discarded: 0,
  notSelected: 0,
  parked: 0,
  reconciled: 0,
  refused: 0,
  slicesBegun: 0,
  slicesEnded: 0,
};

/** What the run did with one message. */
export interface LedgerEntry {
  readonly runId: string;
  readonly originalMessageId: string;
  readonly deadLetterMessageId: string;
  /** Absent for a discarded message. */
  readonly newMessageId?: string;
  readonly signature?: string;
  readonly sentAt: string;
  readonly canary?: boolean;
  /** `held`: SQS would not take it, and it is still in the dead-letter queue. */
  readonly outcome?: OutcomeKind | 'held';
  readonly outcomeAt?: string;
  readonly returnedFor?: {
    readonly code?: string;
    readonly signature?: string;
    readonly reason?: IsolationReason;
  };
}

export function addCounts<T extends Readonly<Record<keyof T, number>>>(left: T, right: Partial<T>): T {
  const sum: Record<string, number> = { ...left };
  for (const [name, value] of Object.entries(right)) sum[name] = (sum[name] ?? 0) + Number(value);
  return sum as T;
}
