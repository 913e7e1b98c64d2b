/**
 * Items of the failure store as the consumer library and the redrive engine share them. Times are
 * ISO 8601 in UTC. Message bodies are never among them.
 */

export type FailureClass = 'transient' | 'permanent' | 'unknown';

/** Why a message is, or is about to be, in the dead-letter queue. */
export type IsolationReason = 'permanent' | 'attempt_limit' | 'too_old';

export interface FailureRecord {
  readonly queueName: string;
  readonly originalMessageId: string;
  /** Ids that the message has had since, oldest first, capped at 20. */
  readonly messageIds: readonly string[];
  readonly status:
    | 'retrying'
    | 'dead-lettered'
    | 'redriving'
    | 'succeeded'
    | 'discarded'
    | 'expired'
    | 'parked';
  readonly reasonForIsolation?: IsolationReason;
  readonly failureClass: FailureClass;
  readonly code: string;
  readonly signature: string;
  /** Short and redacted; at most 500 characters. */
  readonly reason: string;
  /** Handler calls over all lives of the message. */
  readonly attempts: number;
  readonly firstFailedAt: string;
  readonly lastFailedAt: string;
  readonly sentAt: string;
  readonly consumerName: string;
  readonly consumerVersion: string;
  readonly messageType?: string;
  readonly schemaVersion?: string;
  readonly operationId?: string;
  readonly correlationId?: string;
  readonly traceId?: string;
  readonly tenant?: string;
  readonly redrives: number;
  readonly lastRunId?: string;
}

export interface FailureGroup {
  readonly queueName: string;
  readonly signature: string;
  readonly failureClass: FailureClass;
  readonly code: string;
  readonly reason: string;
  readonly count: number;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly consumerVersions: readonly string[];
  /** Up to five original message ids. */
  readonly examples: readonly string[];
  /** Value-free shape of the body, for example `{"id":"string","items":[{"sku":"string"}]}`. */
  readonly shape?: string;
}

/** From a new message id back to the message's history; written by the mover right after the send. */
export interface SentRecord {
  readonly runId: string;
  readonly queueName: string;
  readonly originalMessageId: string;
  readonly newMessageId: string;
  /** Epoch milliseconds of the very first send by the producer. */
  readonly originalSentAt: number;
  /** Handler calls in the lives before this one. */
  readonly attemptsBefore: number;
  /** How often the message has been redriven, this send included. */
  readonly redrives: number;
  readonly sentAt: string;
}

export type OutcomeKind = 'succeeded' | 'returned' | 'discarded' | 'expired' | 'unknown';

/** What the consumer reports of a redriven message. */
export interface OutcomeRecord {
  readonly newMessageId: string;
  readonly runId: string;
  readonly originalMessageId: string;
  readonly outcome: 'succeeded' | 'returned';
  readonly at: string;
  readonly code?: string;
  readonly signature?: string;
}
