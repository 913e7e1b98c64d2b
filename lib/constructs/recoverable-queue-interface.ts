import type { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { FailureStore } from './failure-store';
import type { IdempotencyTable } from './idempotency-table';

/** A source queue with its dead-letter queue, replay queue and stores. */
export interface IRecoverableQueue extends IConstruct {
  /** Name by which operators call it: that of the source queue. */
  readonly queueName: string;
  /** Where producers send to. */
  readonly sourceQueue: Queue;
  readonly deadLetterQueue: Queue;
  /** Where redriven messages come back through; undefined when they go straight to the source queue. */
  readonly replayQueue?: Queue;
  readonly failureStore: FailureStore;
  readonly idempotencyTable: IdempotencyTable;
  readonly maxReceiveCount: number;
  readonly retentionPeriod: Duration;
  readonly deadLetterRetentionPeriod: Duration;
  /** Seconds that a received message stays hidden; known once every consumer has been added. */
  visibilitySeconds(): number;
}
