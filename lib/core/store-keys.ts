/** Attribute names of the idempotency table: those of Powertools for AWS Lambda, so that other languages can share it. */
export const IDEMPOTENCY_ATTRIBUTES = {
  key: 'id',
  status: 'status',
  expiry: 'expiration',
  inProgressExpiry: 'in_progress_expiration',
  data: 'data',
  validation: 'validation',
} as const;

/** Key schema of the failure store: one table, `pk` and `sk`, a sparse index, TTL on settled items only. */
export const STORE_ATTRIBUTES = {
  partition: 'pk',
  sort: 'sk',
  indexName: 'listing',
  indexPartition: 'listKey',
  indexSort: 'listSort',
  /** Epoch seconds; only ever set on settled items. */
  expiry: 'expiresAt',
} as const;

/** Shards over which items of one queue or run are spread, so that no partition runs hot (field rule F77). */
export const STORE_SHARDS = 16;

export interface StoreKey {
  readonly pk: string;
  readonly sk: string;
}

/** A failure, one per original message. Listed (unsettled) under {@link failureListing}. */
export function failureKey(queueName: string, originalMessageId: string): StoreKey {
  return { pk: `failure#${queueName}#${originalMessageId}`, sk: 'failure' };
}

/** One shard of a failure group's counters; a reader sums the shards of a signature. */
export function failureGroupKey(queueName: string, signature: string, shard: number): StoreKey {
  return { pk: `failure-group#${queueName}#${signature}#${shard}`, sk: 'failure-group' };
}

export function runKey(runId: string): StoreKey {
  return { pk: `run#${runId}`, sk: 'run' };
}

/** What a run did with one message. */
export function ledgerKey(runId: string, originalMessageId: string): StoreKey {
  return { pk: `run#${runId}#${shardOf(originalMessageId)}`, sk: `message#${originalMessageId}` };
}

/** From the new message id, which SQS gave on the send, back to the run and the original id. */
export function sentKey(newMessageId: string): StoreKey {
  return { pk: `sent#${newMessageId}`, sk: 'sent' };
}

/** What the consumer reports of a redriven message. */
export function outcomeKey(newMessageId: string): StoreKey {
  return { pk: `sent#${newMessageId}`, sk: 'outcome' };
}

/** What became of one stay in the dead-letter queue, by the id that the message had there. */
export function takenKey(deadLetterMessageId: string): StoreKey {
  return { pk: `taken#${deadLetterMessageId}`, sk: 'taken' };
}

/** Receipt handles of messages that a selective run hides while it looks further; released when it ends. */
export function heldKey(runId: string, id: string): StoreKey {
  return { pk: `run#${runId}#held`, sk: id };
}

/** Ledger entries of a run whose outcome is not known yet. */
export function openLedgerListing(runId: string, shard: number): string {
  return `run-open#${runId}#${shard}`;
}

/** The lease that lets one run at a time work on a queue. */
export function runLockKey(queueName: string): StoreKey {
  return { pk: `run-lock#${queueName}`, sk: 'run-lock' };
}

export function auditKey(queueName: string, atIso: string, id: string): StoreKey {
  return { pk: `audit#${queueName}#${atIso.slice(0, 7)}`, sk: `${atIso}#${id}` };
}

export function failureListing(queueName: string, shard: number): string {
  return `failures#${queueName}#${shard}`;
}

export function failureGroupListing(queueName: string, shard: number): string {
  return `failure-groups#${queueName}#${shard}`;
}

export function runListing(queueName: string): string {
  return `runs#${queueName}`;
}

/** A stable shard number from 0 to {@link STORE_SHARDS} - 1 (FNV-1a). */
export function shardOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0) % STORE_SHARDS;
}
