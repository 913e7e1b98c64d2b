import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { FailureRecord } from '../core/records';
import {
  failureGroupListing,
  failureKey,
  failureListing,
  STORE_ATTRIBUTES,
  STORE_SHARDS,
} from '../core/store-keys';
import type { FailureIndex, GroupShard } from '../operations/failure-ports';

/** What operators read from the failure store. */
export class DynamoDbFailureIndex implements FailureIndex {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  async *deadLettered(queueName: string): AsyncIterable<FailureRecord> {
    for (let shard = 0; shard < STORE_SHARDS; shard++)
      for await (const item of this.query(failureListing(queueName, shard)))
        yield item as unknown as FailureRecord;
  }

  async groupShards(queueName: string): Promise<GroupShard[]> {
    const shards: GroupShard[] = [];
    for (let shard = 0; shard < STORE_SHARDS; shard++)
      for await (const item of this.query(failureGroupListing(queueName, shard)))
        shards.push({
          ...(item as unknown as GroupShard),
          consumerVersions: [...((item['consumerVersions'] as Set<string> | undefined) ?? [])],
        });
    return shards;
  }

  async failure(queueName: string, originalMessageId: string): Promise<FailureRecord | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({ TableName: this.table, Key: marshall(failureKey(queueName, originalMessageId)) }),
    );
    return Item === undefined ? undefined : (unmarshall(Item) as FailureRecord);
  }

  private async *query(partition: string): AsyncIterable<Record<string, unknown>> {
    let from: Record<string, AttributeValue> | undefined;
    do {
      const answer: QueryCommandOutput = await this.client.send(
        new QueryCommand({
          TableName: this.table,
          IndexName: STORE_ATTRIBUTES.indexName,
          KeyConditionExpression: '#partition = :partition',
          ExpressionAttributeNames: { '#partition': STORE_ATTRIBUTES.indexPartition },
          ExpressionAttributeValues: marshall({ ':partition': partition }),
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        }),
      );
      for (const item of answer.Items ?? []) yield unmarshall(item);
      from = answer.LastEvaluatedKey;
    } while (from !== undefined);
  }
}
