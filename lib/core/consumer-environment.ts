/** Names of the environment variables through which the constructs tell the consumer library what it works with. */
export const CONSUMER_ENVIRONMENT = {
  /** JSON array of {@link ConsumerQueue}. */
  queues: 'REDRIVE_QUEUES',
  /** Name of the idempotency table. */
  idempotencyTable: 'REDRIVE_IDEMPOTENCY_TABLE',
  /** Name of the failure store table. */
  failureTable: 'REDRIVE_FAILURE_TABLE',
  /** Name of the consumer as operators know it; default: the function name. */
  consumerName: 'REDRIVE_CONSUMER_NAME',
  /** Version of the consumer's code or configuration; default: the function version. */
  consumerVersion: 'REDRIVE_CONSUMER_VERSION',
} as const;

/** One queue that the consumer is fed from. */
export interface ConsumerQueue {
  readonly sourceArn: string;
  readonly sourceUrl: string;
  readonly deadLetterArn: string;
  readonly deadLetterUrl: string;
  /** Absent when redrive goes straight to the source queue. */
  readonly replayArn?: string;
  readonly replayUrl?: string;
  /** Of the source queue, 1 to 1,000. */
  readonly maxReceiveCount: number;
  /** Visibility timeout of the source queue in seconds. */
  readonly visibilitySeconds: number;
  /** Retention of source plus dead-letter queue in seconds: the least life of an idempotency record. */
  readonly retentionSeconds: number;
}
