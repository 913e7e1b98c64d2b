import type { FailureGroup, FailureRecord } from '../core/records';

/** The counters of one shard of a failure group. */
export type GroupShard = FailureGroup;

/** The failure store as operators read it. */
export interface FailureIndex {
  /** What is in the dead-letter queue as far as consumers wrote it down. */
  deadLettered(queueName: string): AsyncIterable<FailureRecord>;
  groupShards(queueName: string): Promise<GroupShard[]>;
  failure(queueName: string, originalMessageId: string): Promise<FailureRecord | undefined>;
}
