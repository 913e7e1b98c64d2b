import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { FailureStore } from './failure-store';
import type { IdempotencyTable } from './idempotency-table';
import type { RedriveStateMachine } from './redrive-state-machine';

/** When people are woken. */
export enum AlarmProfile {
  /** Any message in the dead-letter queue is an alarm. */
  CRITICAL_FLOW = 'critical-flow',
  /** Depth above 1,000, or more than 100 arrivals a minute. */
  HIGH_VOLUME = 'high-volume',
}

export interface RecoverableQueueProps {
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
  /** Default: keys of SQS. With a key of your own every party gets its grant. */
  readonly encryptionKey?: IKey;
  /** False: redriven messages go straight back to the source queue. Default true. */
  readonly replayQueue?: boolean;
  /** Who answers for the queue; in every alarm. Default: `nobody`, with a warning at synth. */
  readonly owner?: string;
  /** Where the person on call reads on. */
  readonly runbookUrl?: string;
  /** Default CRITICAL_FLOW. */
  readonly alarmProfile?: AlarmProfile;
  /** Where alarms go. Default: a topic of the stack. */
  readonly alarmTopic?: ITopic;
  /** Default: one of the stack. */
  readonly failureStore?: FailureStore;
  /** Default: one of the stack. */
  readonly idempotencyTable?: IdempotencyTable;
  /** Default: one of the stack. */
  readonly redrive?: RedriveStateMachine;
  /** Of the queues. Default RETAIN. */
  readonly removalPolicy?: RemovalPolicy;
}

export interface ConsumerMappingOptions {
  /** Messages in one event: 1 to 10, up to 10,000 on standard queues with a window. Default 10 (FIFO: 1). */
  readonly batchSize?: number;
  /** How long a batch is gathered, up to 300 seconds; standard queues only. Default: not at all. */
  readonly maxBatchingWindow?: Duration;
  /** Invocations at once from the source queue, at least 2. Default 50. */
  readonly maxConcurrency?: number;
  /** Invocations at once from the replay queue, at least 2. Default 5. */
  readonly replayMaxConcurrency?: number;
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
