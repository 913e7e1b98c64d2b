import type { OutgoingCopy } from './resend';

export interface VisibilityChange {
  readonly receiptHandle: string;
  /** From now, 0 to 43,200. */
  readonly seconds: number;
}

/** What a consumer does to its queues besides being fed by them. */
export interface ConsumerQueues {
  /** Answers how many changes failed; these messages come back after the visibility timeout of the queue. */
  changeVisibility(url: string, changes: readonly VisibilityChange[]): Promise<number>;
  /** The new id of each copy, or undefined where SQS did not take it. At most ten, together at most one mebibyte. */
  send(url: string, copies: readonly OutgoingCopy[]): Promise<(string | undefined)[]>;
}
