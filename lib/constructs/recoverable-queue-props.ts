import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { AlarmOptions } from './alarm-options';
import type { FailureStore } from './failure-store';
import type { IdempotencyTable } from './idempotency-table';
import type { RedriveStateMachine } from './redrive-state-machine';
import type { SharedDeadLetterQueue } from './shared-dead-letter-queue';

/** What new and existing queues have in common. */
export interface RecoverableQueueOptions extends AlarmOptions {
  /** Who answers for the queue; in every alarm. Default: `nobody`, with a warning at synth. */
  readonly owner?: string;
  /** Where the person on call reads on. Default: none. */
  readonly runbookUrl?: string;
  /** Default: one of the stack. */
  readonly failureStore?: FailureStore;
  /** Default: one of the stack. */
  readonly idempotencyTable?: IdempotencyTable;
  /** Default: one of the stack. */
  readonly redrive?: RedriveStateMachine;
  /** Of the queues. With a key of your own every party gets its grant. Default: keys of SQS. */
  readonly encryptionKey?: IKey;
}

export interface RecoverableQueueProps extends RecoverableQueueOptions {
  /**
   * Name of the source queue; its dead-letter queue is `NAME-dlq`, its replay queue `NAME-replay`, each with `.fifo` at the
   * end on FIFO queues. Letters, digits, `_` and `-`, up to 60. Default: made of the stack's name and the construct path.
   */
  readonly queueName?: string;
  /** Default false. */
  readonly fifo?: boolean;
  /** FIFO only: repeats are told by the body. Default false. */
  readonly contentBasedDeduplication?: boolean;
  /** How long the source queue keeps a message: 60 seconds to below the retention of the dead-letter queue. Default 4 days. */
  readonly retentionPeriod?: Duration;
  /** Longer than that of the source, up to 14 days. Default 14 days. A standard message's clock runs from its first send. */
  readonly deadLetterRetentionPeriod?: Duration;
  /** Receives before SQS moves a message, 3 to 1,000. Default 5. 1 and 2 need `lowReceiveCountReason`. */
  readonly maxReceiveCount?: number;
  /** Why throttles and crashes may use all receives up (field rule F04). */
  readonly lowReceiveCountReason?: string;
  /** Default and least: six times the longest timeout of the consumers plus their batching window. Up to 12 hours. */
  readonly visibilityTimeout?: Duration;
  /** Of source, dead-letter and replay queue alike, in bytes: 1,024 to 1,048,576. Default 1,048,576. */
  readonly maxMessageSizeBytes?: number;
  /** False: redriven messages go straight back to the source queue. Default true. */
  readonly replayQueue?: boolean;
  /**
   * A dead-letter queue that several small queues share, up to ten sources; a replay queue counts as one. Its messages
   * tell where they came from, and its retention counts. Default: one of its own.
   */
  readonly deadLetterQueue?: SharedDeadLetterQueue;
  /** Of the queues. Default RETAIN. */
  readonly removalPolicy?: RemovalPolicy;
}

/** Queues that are there already, made elsewhere. What can't be seen from here must be told. */
export interface ExistingQueuesProps extends RecoverableQueueOptions {
  /** Where producers send to. */
  readonly sourceQueue: IQueue;
  /** The target of the source queue's redrive policy, of the same type. */
  readonly deadLetterQueue: IQueue;
  /** Of the source queue's redrive policy, 1 to 1,000. */
  readonly maxReceiveCount: number;
  /** Of the source queue. Default: read from the queue when it is of this app; else a warning, and no check. */
  readonly visibilityTimeout?: Duration;
  /** Of the source queue. Default: read from the queue when it is of this app; else 4 days. */
  readonly retentionPeriod?: Duration;
  /** Of the dead-letter queue. Default: read from the queue when it is of this app; else 14 days. */
  readonly deadLetterRetentionPeriod?: Duration;
  /**
   * False: redriven messages go straight back to the source queue. Default true: a replay queue is made beside yours. A
   * redrive-allow policy of your dead-letter queue must let it in.
   */
  readonly replayQueue?: boolean;
}

/** Dedicated pollers, for traffic that jumps. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
export interface ProvisionedPollers {
  /** 2 to 200. Default 2. */
  readonly minimum?: number;
  /** 2 to 2,000, each for up to ten invocations at once. Default 200. */
  readonly maximum?: number;
}

export interface ConsumerMappingOptions {
  /** Messages in one event: 1 to 10, up to 10,000 on standard queues with a window. Default 10 (FIFO: 1). */
  readonly batchSize?: number;
  /** How long a batch is gathered, up to 300 seconds; standard queues only. Default: not at all. */
  readonly maxBatchingWindow?: Duration;
  /** Invocations at once from the source queue, at least 2. Default 50. Not together with `provisionedPollers`. */
  readonly maxConcurrency?: number;
  /** Invocations at once from the replay queue, at least 2. Default 5. */
  readonly replayMaxConcurrency?: number;
  /** Pollers of the source queue; instead of a maximum concurrency. Default: none. */
  readonly provisionedPollers?: ProvisionedPollers;
  /** Event patterns on `body`. SQS deletes what no pattern matches: say so with `dropsNonMatching`. Default: none. */
  readonly filters?: string[];
  /** True: messages that no filter matches may be lost. Default false. */
  readonly dropsNonMatching?: boolean;
  /** Name by which operators know the consumer. Default: the name of the function. */
  readonly consumerName?: string;
  /** Version by which failures are told apart over releases. Default: the version of the function. */
  readonly consumerVersion?: string;
  /** Timeout of the function where it can't be seen, as on an imported one. */
  readonly functionTimeout?: Duration;
}
