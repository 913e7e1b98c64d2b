import type { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { FailureStore } from './failure-store';
import type { IdempotencyTable } from './idempotency-table';
import type { ConsumerMappingOptions } from './recoverable-queue-props';
import type { RedriveStateMachine } from './redrive-state-machine';

/** A source queue with its dead-letter queue, replay queue and stores. */
export interface IRecoverableQueue extends IConstruct {
  /** Name by which operators call it: that of the source queue. */
  readonly queueName: string;
  /** Where producers send to. */
  readonly sourceQueue: IQueue;
  readonly deadLetterQueue: IQueue;
  /** Where redriven messages come back through; undefined when they go straight to the source queue. */
  readonly replayQueue?: IQueue;
  readonly failureStore: FailureStore;
  readonly idempotencyTable: IdempotencyTable;
  readonly redrive: RedriveStateMachine;
  readonly maxReceiveCount: number;
  readonly retentionPeriod: Duration;
  readonly deadLetterRetentionPeriod: Duration;
  /** Who answers for it. */
  readonly owner: string;
  /** Where the person on call reads on. */
  readonly runbookUrl?: string;
  /** The functions that are fed from it so far. */
  readonly consumers: IFunction[];
  /**
   * Feeds a function from the source queue and the replay queue: partial batch responses on, visibility long enough,
   * concurrency bounded, and exactly the rights that the consumer library uses.
   */
  addConsumer(consumer: IFunction, options?: ConsumerMappingOptions): void;
  /** The right to send to the source queue, with that to use its key. */
  grantSendMessages(grantee: IGrantable): Grant;
  /** Messages in the dead-letter queue, as the presence and depth alarms see them. */
  metricDeadLetterDepth(): IMetric;
  /** Seconds that a received message stays hidden; known once every consumer has been added. */
  visibilitySeconds(): number;
}
