import type { FailureRecord } from './records';
import type { Selection } from './redrive-plan';

/** What is known of a message when it lies in the dead-letter queue. */
export interface Candidate {
  /** The id that it has now. */
  readonly messageId: string;
  readonly originalMessageId: string;
  readonly receiveCount: number;
  /** Where SQS moved it from; absent when it was sent here. */
  readonly sourceArn?: string;
  /** Absent when the failure store knows nothing of it. */
  readonly failure?: FailureRecord;
  readonly redrives: number;
}

/** True when the message meets every criterion. What is not known meets no criterion about it. */
export function isSelected(candidate: Candidate, select: Selection): boolean {
  const { failure } = candidate;
  const named = (allowed: readonly string[] | undefined, ...values: (string | undefined)[]): boolean =>
    allowed === undefined ||
    allowed.length === 0 ||
    values.some((value) => value !== undefined && allowed.includes(value));
  return (
    named(select.signatures, failure?.signature) &&
    named(select.codes, failure?.code) &&
    named(select.classes, failure?.failureClass) &&
    named(select.messageTypes, failure?.messageType) &&
    named(select.tenants, failure?.tenant) &&
    named(select.messageIds, candidate.messageId, candidate.originalMessageId) &&
    named(select.sourceQueueArns, candidate.sourceArn) &&
    (select.failedFrom === undefined ||
      (failure !== undefined && failure.firstFailedAt >= select.failedFrom)) &&
    (select.failedUntil === undefined ||
      (failure !== undefined && failure.firstFailedAt < select.failedUntil)) &&
    candidate.receiveCount >= (select.minimumReceiveCount ?? 0) &&
    candidate.receiveCount <= (select.maximumReceiveCount ?? Number.POSITIVE_INFINITY)
  );
}
