import type { FailureClass, FailureRecord, OutcomeRecord, SentRecord } from './records';

/** What one batch adds to a failure group. */
export interface FailureGroupUpdate {
  readonly queueName: string;
  readonly signature: string;
  readonly failureClass: FailureClass;
  readonly code: string;
  readonly reason: string;
  readonly count: number;
  readonly at: string;
  readonly consumerVersion: string;
  /** Up to five original message ids. */
  readonly examples: readonly string[];
  readonly shape: string;
}

/** Where consumers write down what failed, and find where a redriven message comes from. */
export interface FailureRecorder {
  /** By the ids that the messages have now; those that are missing were not redriven, or not yet written down. */
  lineage(messageIds: readonly string[]): Promise<Map<string, SentRecord>>;
  recordFailure(record: FailureRecord): Promise<void>;
  recordGroup(update: FailureGroupUpdate): Promise<void>;
  /** Does nothing where no failure was written down. */
  recordSuccess(queueName: string, originalMessageId: string, nowMs: number): Promise<void>;
  /** The copy that was isolated, so that a redrive finds its original. */
  recordIsolated(copy: SentRecord, nowMs: number): Promise<void>;
  recordOutcomes(outcomes: readonly OutcomeRecord[], nowMs: number): Promise<void>;
}
