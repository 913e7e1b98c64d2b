import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { FailureGroupUpdate, FailureRecorder } from '../core/failure-recorder';
import type { FailureRecord, OutcomeRecord, SentRecord } from '../core/records';
import {
  failureGroupKey,
  failureGroupListing,
  failureKey,
  failureListing,
  outcomeKey,
  STORE_ATTRIBUTES,
  sentKey,
  shardOf,
} from '../core/store-keys';

const OPTIONS = { removeUndefinedValues: true } as const;
const SETTLED_KEPT_SECONDS = 90 * 24 * 3600;
const READ_BATCH = 100;
const WRITE_BATCH = 25;

/** What consumers write into the failure store. */
export class DynamoDbFailureStore implements FailureRecorder {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    /** Which shard of a failure group's counters this environment uses. */
    private readonly shard: number,
  ) {}

  async lineage(messageIds: readonly string[]): Promise<Map<string, SentRecord>> {
    const found = new Map<string, SentRecord>();
    for (let from = 0; from < messageIds.length; from += READ_BATCH) {
      const Keys = messageIds.slice(from, from + READ_BATCH).map((id) => marshall(sentKey(id)));
      const { Responses } = await this.client.send(
        new BatchGetItemCommand({ RequestItems: { [this.table]: { Keys, ConsistentRead: true } } }),
      );
      for (const item of Responses?.[this.table] ?? []) {
        const record = unmarshall(item) as SentRecord;
        found.set(record.newMessageId, record);
      }
    }
    return found;
  }

  async recordFailure(record: FailureRecord): Promise<void> {
    const { firstFailedAt, ...fields } = record;
    const settled = record.status === 'dead-lettered' || record.status === 'parked';
    const values: Record<string, unknown> = {
      ...fields,
      ...(settled
        ? {
            [STORE_ATTRIBUTES.indexPartition]: failureListing(
              record.queueName,
              shardOf(record.originalMessageId),
            ),
            [STORE_ATTRIBUTES.indexSort]: record.lastFailedAt,
          }
        : {}),
    };
    const names = Object.keys(values).filter((name) => values[name] !== undefined);
    await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: marshall(failureKey(record.queueName, record.originalMessageId)),
        UpdateExpression: `SET ${names.map((_, index) => `#n${index} = :v${index}`).join(', ')}, #first = if_not_exists(#first, :first) REMOVE #expiry`,
        ExpressionAttributeNames: {
          ...Object.fromEntries(names.map((name, index) => [`#n${index}`, name])),
          '#first': 'firstFailedAt',
          '#expiry': STORE_ATTRIBUTES.expiry,
        },
        ExpressionAttributeValues: marshall(
          {
            ...Object.fromEntries(names.map((name, index) => [`:v${index}`, values[name]])),
            ':first': firstFailedAt,
          },
          OPTIONS,
        ),
      }),
    );
  }

  async recordGroup(update: FailureGroupUpdate): Promise<void> {
    const { queueName, signature } = update;
    await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: marshall(failureGroupKey(queueName, signature, this.shard)),
        UpdateExpression:
          'SET queueName = :queue, signature = :signature, failureClass = :class, code = :code, reason = :reason, ' +
          'firstSeenAt = if_not_exists(firstSeenAt, :at), lastSeenAt = :at, examples = if_not_exists(examples, :examples), ' +
          'shape = if_not_exists(shape, :shape), #listKey = :listKey, #listSort = :at ADD #count :count, consumerVersions :versions',
        ExpressionAttributeNames: {
          '#listKey': STORE_ATTRIBUTES.indexPartition,
          '#listSort': STORE_ATTRIBUTES.indexSort,
          '#count': 'count',
        },
        ExpressionAttributeValues: marshall({
          ':queue': queueName,
          ':signature': signature,
          ':class': update.failureClass,
          ':code': update.code,
          ':reason': update.reason,
          ':at': update.at,
          ':examples': update.examples,
          ':shape': update.shape,
          ':listKey': failureGroupListing(queueName, shardOf(signature)),
          ':count': update.count,
          ':versions': new Set([update.consumerVersion]),
        }),
      }),
    );
  }

  async recordSuccess(queueName: string, originalMessageId: string, nowMs: number): Promise<void> {
    try {
      await this.client.send(
        new UpdateItemCommand({
          TableName: this.table,
          Key: marshall(failureKey(queueName, originalMessageId)),
          UpdateExpression: 'SET #status = :succeeded, #expiry = :expiry REMOVE #listKey, #listSort',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeNames: {
            '#status': 'status',
            '#expiry': STORE_ATTRIBUTES.expiry,
            '#listKey': STORE_ATTRIBUTES.indexPartition,
            '#listSort': STORE_ATTRIBUTES.indexSort,
          },
          ExpressionAttributeValues: marshall({
            ':succeeded': 'succeeded',
            ':expiry': Math.ceil(nowMs / 1000) + SETTLED_KEPT_SECONDS,
          }),
        }),
      );
    } catch (error) {
      // It never failed in a way that was written down.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  async recordIsolated(copy: SentRecord, nowMs: number): Promise<void> {
    await this.write([{ ...copy, ...sentKey(copy.newMessageId) }], nowMs);
  }

  async recordOutcomes(outcomes: readonly OutcomeRecord[], nowMs: number): Promise<void> {
    await this.write(
      outcomes.map((outcome) => ({ ...outcome, ...outcomeKey(outcome.newMessageId) })),
      nowMs,
    );
  }

  private async write(items: readonly object[], nowMs: number): Promise<void> {
    const expiry = Math.ceil(nowMs / 1000) + SETTLED_KEPT_SECONDS;
    for (let from = 0; from < items.length; from += WRITE_BATCH) {
      let left = items.slice(from, from + WRITE_BATCH).map((item) => ({
        PutRequest: { Item: marshall({ ...item, [STORE_ATTRIBUTES.expiry]: expiry }, OPTIONS) },
      }));
      while (left.length > 0) {
        const { UnprocessedItems } = await this.client.send(
          new BatchWriteItemCommand({ RequestItems: { [this.table]: left } }),
        );
        left = (UnprocessedItems?.[this.table] ?? []) as typeof left;
      }
    }
  }
}
