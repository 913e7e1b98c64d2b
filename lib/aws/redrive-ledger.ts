import {
  type AttributeValue,
  BatchGetItemCommand,
  type BatchGetItemCommandOutput,
  BatchWriteItemCommand,
  type BatchWriteItemCommandOutput,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  type QueryCommandOutput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { FailureRecord, OutcomeRecord, SentRecord } from '../core/records';
import type { LedgerEntry } from '../core/run-record';
import {
  failureKey,
  heldKey,
  ledgerKey,
  openLedgerListing,
  outcomeKey,
  STORE_ATTRIBUTES,
  STORE_SHARDS,
  type StoreKey,
  sentKey,
  shardOf,
  takenKey,
} from '../core/store-keys';
import type { Knowledge, Ledger, Moved } from '../operations/redrive-ports';

type Item = Record<string, AttributeValue>;

const READ_BATCH = 100;
const WRITE_BATCH = 25;
/** Longer than a message can live in a queue and its dead-letter queue, twice over. */
const KEPT_SECONDS = 90 * 24 * 3600;
const OPTIONS = { removeUndefinedValues: true } as const;

/** The ledger in the failure store table. */
export class DynamoDbLedger implements Ledger {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly now: () => number,
  ) {}

  async know(queueName: string, messageIds: readonly string[]): Promise<Knowledge[]> {
    const found = await this.get(
      messageIds.flatMap((id) => [takenKey(id), sentKey(id), failureKey(queueName, id)]),
    );
    const sent = messageIds.map((id) => found.get(nameOf(sentKey(id))) as SentRecord | undefined);
    const originals = sent.flatMap((record, index) =>
      record === undefined || record.originalMessageId === messageIds[index]
        ? []
        : [record.originalMessageId],
    );
    const older = await this.get(originals.map((id) => failureKey(queueName, id)));
    return messageIds.map((id, index) => {
      const record = sent[index];
      const original = record?.originalMessageId ?? id;
      const name = nameOf(failureKey(queueName, original));
      const failure = (older.get(name) ?? found.get(name)) as FailureRecord | undefined;
      return {
        taken: found.has(nameOf(takenKey(id))),
        ...(record === undefined ? {} : { sent: record }),
        ...(failure === undefined ? {} : { failure }),
      };
    });
  }

  async write(moved: readonly Moved[]): Promise<void> {
    const expiry = this.expiry();
    await this.put(
      moved.flatMap(({ entry, sent }) => [
        ...(sent === undefined ? [] : [{ ...sent, ...sentKey(sent.newMessageId), expiresAt: expiry }]),
        // A message that SQS would not take has not ended its stay.
        ...(entry.outcome === 'held'
          ? []
          : [
              {
                ...takenKey(entry.deadLetterMessageId),
                runId: entry.runId,
                newMessageId: entry.newMessageId,
                expiresAt: expiry,
              },
            ]),
        this.itemOf(entry),
      ]),
    );
  }

  async open(runId: string, limit: number): Promise<LedgerEntry[]> {
    const shards = await Promise.all(
      Array.from({ length: STORE_SHARDS }, (_, shard) =>
        this.query(
          {
            IndexName: STORE_ATTRIBUTES.indexName,
            KeyConditionExpression: '#partition = :partition',
            ExpressionAttributeNames: { '#partition': STORE_ATTRIBUTES.indexPartition },
            ExpressionAttributeValues: marshall({ ':partition': openLedgerListing(runId, shard) }),
          },
          Math.ceil(limit / STORE_SHARDS),
        ),
      ),
    );
    return shards.flat().map(entryOf);
  }

  async outcomes(newMessageIds: readonly string[]): Promise<Map<string, OutcomeRecord>> {
    const found = await this.get(newMessageIds.map(outcomeKey));
    return new Map(
      newMessageIds.flatMap((id) => {
        const record = found.get(nameOf(outcomeKey(id))) as OutcomeRecord | undefined;
        return record === undefined ? [] : [[id, record] as const];
      }),
    );
  }

  async settle(entries: readonly LedgerEntry[]): Promise<void> {
    await this.put(entries.map((entry) => this.itemOf(entry)));
  }

  async *all(runId: string): AsyncIterable<LedgerEntry> {
    for (let shard = 0; shard < STORE_SHARDS; shard++) {
      const partition = `run#${runId}#${shard}`;
      const items = await this.query(
        {
          KeyConditionExpression: '#partition = :partition',
          ExpressionAttributeNames: { '#partition': STORE_ATTRIBUTES.partition },
          ExpressionAttributeValues: marshall({ ':partition': partition }),
          ConsistentRead: true,
        },
        Number.POSITIVE_INFINITY,
      );
      yield* items.map(entryOf);
    }
  }

  async hold(runId: string, receiptHandles: readonly string[], untilMs: number): Promise<void> {
    await this.client.send(
      new PutItemCommand({
        TableName: this.table,
        Item: marshall({
          ...heldKey(runId, `${untilMs}#${receiptHandles[0]?.slice(-40)}`),
          receiptHandles,
          untilMs,
          expiresAt: Math.ceil(untilMs / 1000) + 3600,
        }),
      }),
    );
  }

  async held(runId: string): Promise<readonly string[]> {
    const items = await this.query(
      {
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': STORE_ATTRIBUTES.partition },
        ExpressionAttributeValues: marshall({ ':partition': heldKey(runId, '').pk }),
      },
      Number.POSITIVE_INFINITY,
    );
    const now = this.now();
    return items
      .filter(({ untilMs }) => Number(untilMs) > now)
      .flatMap(({ receiptHandles }) => receiptHandles as string[]);
  }

  private itemOf(entry: LedgerEntry): Record<string, unknown> {
    return {
      ...entry,
      ...ledgerKey(entry.runId, entry.originalMessageId),
      ...(entry.outcome === undefined
        ? {
            [STORE_ATTRIBUTES.indexPartition]: openLedgerListing(
              entry.runId,
              shardOf(entry.originalMessageId),
            ),
            [STORE_ATTRIBUTES.indexSort]: entry.sentAt,
          }
        : { [STORE_ATTRIBUTES.expiry]: this.expiry() }),
    };
  }

  private expiry(): number {
    return Math.ceil(this.now() / 1000) + KEPT_SECONDS;
  }

  private async get(keys: readonly StoreKey[]): Promise<Map<string, Record<string, unknown>>> {
    const found = new Map<string, Record<string, unknown>>();
    const unique = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
    for (let from = 0; from < unique.length; from += READ_BATCH) {
      let wanted: Item[] | undefined = unique.slice(from, from + READ_BATCH).map((key) => marshall(key));
      while (wanted !== undefined && wanted.length > 0) {
        const answer: BatchGetItemCommandOutput = await this.client.send(
          new BatchGetItemCommand({ RequestItems: { [this.table]: { Keys: wanted, ConsistentRead: true } } }),
        );
        for (const item of answer.Responses?.[this.table] ?? []) {
          const value = unmarshall(item);
          found.set(nameOf(value as StoreKey), value);
        }
        wanted = answer.UnprocessedKeys?.[this.table]?.Keys;
      }
    }
    return found;
  }

  private async put(items: readonly Record<string, unknown>[]): Promise<void> {
    const requests = items.map((item): WriteRequest => ({ PutRequest: { Item: marshall(item, OPTIONS) } }));
    for (let from = 0; from < requests.length; from += WRITE_BATCH) {
      let left: WriteRequest[] | undefined = requests.slice(from, from + WRITE_BATCH);
      while (left !== undefined && left.length > 0) {
        const answer: BatchWriteItemCommandOutput = await this.client.send(
          new BatchWriteItemCommand({ RequestItems: { [this.table]: left } }),
        );
        left = answer.UnprocessedItems?.[this.table];
      }
    }
  }

  private async query(
    input: Omit<ConstructorParameters<typeof QueryCommand>[0], 'TableName'>,
    limit: number,
  ): Promise<Record<string, unknown>[]> {
    const items: Record<string, unknown>[] = [];
    let from: Item | undefined;
    do {
      const answer: QueryCommandOutput = await this.client.send(
        new QueryCommand({
          ...input,
          TableName: this.table,
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
          ...(Number.isFinite(limit) ? { Limit: limit - items.length } : {}),
        }),
      );
      items.push(...(answer.Items ?? []).map((item) => unmarshall(item)));
      from = answer.LastEvaluatedKey;
    } while (from !== undefined && items.length < limit);
    return items;
  }
}

function nameOf({ pk, sk }: StoreKey): string {
  return `${pk}\u0000${sk}`;
}

function entryOf(item: Record<string, unknown>): LedgerEntry {
  const { pk: _pk, sk: _sk, listKey: _listKey, listSort: _listSort, expiresAt: _expiresAt, ...entry } = item;
  return entry as unknown as LedgerEntry;
}
