import type { FailureRecord, OutcomeRecord, SentRecord } from '../core/records';
import type { AttributeValues, OutgoingCopy } from '../core/resend';
import type { LedgerEntry, MoveCounts, OutcomeCounts, RunRecord } from '../core/run-record';

/** A queue as the redrive engine knows it. */
export interface ManagedQueue {
  readonly name: string;
  readonly fifo: boolean;
  readonly sourceUrl: string;
  readonly sourceArn: string;
  readonly deadLetterUrl: string;
  readonly deadLetterArn: string;
  /** Absent when redrive goes straight to the source queue. */
  readonly replayUrl?: string;
  readonly replayArn?: string;
  /** Event source mappings of the consumers, for preflight. */
  readonly mappingIds?: readonly string[];
  readonly alarmNames?: readonly string[];
  readonly failureTable?: string;
  readonly stateMachineArn?: string;
}

/** Where the queues that may be redriven are described. */
export interface QueueRegistry {
  /** Throws QUEUE_UNKNOWN. */
  named(name: string): Promise<ManagedQueue>;
  list(): Promise<ManagedQueue[]>;
}

/** A message as it was received from the dead-letter queue. */
export interface DeadLetter {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: AttributeValues;
  readonly receiveCount: number;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly groupId?: string;
  readonly traceHeader?: string;
  /** Where SQS moved it from. */
  readonly sourceArn?: string;
}

export interface QueueDepth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export type SendResult =
  | { readonly messageId: string }
  /** `retryable`: SQS was busy; otherwise the message can't be sent as it is. */
  | { readonly refused: string; readonly retryable: boolean };

export interface RedriveQueues {
  /** Answers at once; an empty array says little on a queue that is not empty. */
  receive(url: string, maximum: number, holdSeconds: number): Promise<DeadLetter[]>;
  /** One result for each copy, in order. */
  send(url: string, copies: readonly OutgoingCopy[]): Promise<SendResult[]>;
  /** Deleting again is harmless. */
  delete(url: string, receiptHandles: readonly string[]): Promise<void>;
  /** Makes messages visible again; those whose hold has ended already are passed over. */
  release(url: string, receiptHandles: readonly string[]): Promise<void>;
  depth(url: string): Promise<QueueDepth>;
}

/** What the store knows of a message that lies in a dead-letter queue. */
export interface Knowledge {
  /** The stay of this very id was already ended by a send or a discard; only the delete is missing. */
  readonly taken: boolean;
  /** How the id came to be, when a redrive or an isolation made it. */
  readonly sent?: SentRecord;
  readonly failure?: FailureRecord;
}

/** A message that was moved, as it is written down. */
export interface Moved {
  readonly entry: LedgerEntry;
  /** Absent for a discard. */
  readonly sent?: SentRecord;
}

export interface Ledger {
  /** One answer for each id, in order. */
  know(queueName: string, messageIds: readonly string[]): Promise<Knowledge[]>;
  write(moved: readonly Moved[]): Promise<void>;
  /** Up to `limit` entries without an outcome. */
  open(runId: string, limit: number): Promise<LedgerEntry[]>;
  outcomes(newMessageIds: readonly string[]): Promise<Map<string, OutcomeRecord>>;
  settle(entries: readonly LedgerEntry[]): Promise<void>;
  /** Every entry of the run. */
  all(runId: string): AsyncIterable<LedgerEntry>;
  hold(runId: string, receiptHandles: readonly string[], untilMs: number): Promise<void>;
  held(runId: string): Promise<readonly string[]>;
}

export interface RunStore {
  create(run: RunRecord): Promise<void>;
  load(runId: string): Promise<RunRecord | undefined>;
  /** Writes what changed, when nobody else wrote since `run` was read; answers whether it did. */
  save(run: RunRecord, changes: Partial<RunRecord>): Promise<RunRecord | undefined>;
  /** Adds to counters, whoever else writes. */
  count(
    runId: string,
    delta: { readonly moved?: Partial<MoveCounts>; readonly outcomes?: Partial<OutcomeCounts> },
  ): Promise<void>;
  /** Asks a run for something; answers false when it is not in one of the states. */
  request(runId: string, request: 'pause' | 'cancel', states: readonly string[]): Promise<boolean>;
  setRate(runId: string, rate: number): Promise<void>;
  /** Takes the queue for the run until `untilMs`; answers the run that has it already. */
  lock(queueName: string, runId: string, nowMs: number, untilMs: number): Promise<string | undefined>;
  unlock(queueName: string, runId: string): Promise<void>;
  list(queueName: string, limit: number): Promise<RunRecord[]>;
  audit(queueName: string, line: AuditLine): Promise<void>;
}

/** One line for an operation or a message: who did what to what, why, with which result. Never a body. */
export interface AuditLine {
  readonly at: string;
  readonly who: string;
  readonly what: string;
  readonly target: string;
  readonly why: string;
  readonly result: string;
  readonly runId?: string;
}

export interface Executions {
  /** Starts the state machine for the run; the same run is started once. */
  start(runId: string, name: string): Promise<string>;
  /** Wakes the paused execution. */
  wake(taskToken: string): Promise<void>;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
