import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  BatchWriteItemCommand,
  type ConditionalCheckFailedException,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateContinuousBackupsCommand,
  UpdateItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import type { AccessRequest } from '../../../local/gateway/service';
import { createOrders, startDynamoDb, type TestDynamoDb } from './dynamodb-server';

const started: TestDynamoDb[] = [];
async function start(options: Parameters<typeof startDynamoDb>[0] = {}): Promise<TestDynamoDb> {
  const db = await startDynamoDb(options);
  started.push(db);
  return db;
}
afterEach(async () => {
  for (const db of started.splice(0)) await db.stop();
});

const TableName = 'orders';

describe('DynamoDB on dynalite', () => {
  it('answers the old item with a failed condition when asked, and not otherwise', async () => {
    const { client } = await start();
    await createOrders(client);
    await client.send(new PutItemCommand({ TableName, Item: { id: { S: 'a' }, by: { S: 'first' } } }));
    const again = { TableName, Item: { id: { S: 'a' } }, ConditionExpression: 'attribute_not_exists(id)' };
    const asked = (await client
      .send(new PutItemCommand({ ...again, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }))
      .catch((e) => e)) as ConditionalCheckFailedException;
    expect(asked.name).toBe('ConditionalCheckFailedException');
    expect(asked.Item).toEqual({ id: { S: 'a' }, by: { S: 'first' } });
    const silent = (await client
      .send(new PutItemCommand(again))
      .catch((e) => e)) as ConditionalCheckFailedException;
    expect(silent.name).toBe('ConditionalCheckFailedException');
    expect(silent.Item).toBeUndefined();
    const update = (await client
      .send(
        new UpdateItemCommand({
          TableName,
          Key: { id: { S: 'a' } },
          UpdateExpression: 'SET x = :x',
          ConditionExpression: 'attribute_exists(absent)',
          ExpressionAttributeValues: { ':x': { S: '1' } },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      )
      .catch((e) => e)) as ConditionalCheckFailedException;
    expect(update.message).toBe('The conditional request failed');
    expect(update.Item).toEqual({ id: { S: 'a' }, by: { S: 'first' } });
  });

  it('F75: expires items lazily, by seconds, and leaves those without a number', async () => {
    const { client, clock, events } = await start();
    await createOrders(client);
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
      }),
    );
    const seconds = Math.floor(clock.now() / 1000);
    const items: [string, Record<string, { N: string } | { S: string }>][] = [
      ['due', { expires: { N: String(seconds + 10) } }],
      ['later', { expires: { N: String(seconds + 30 * 86_400) } }],
      ['text', { expires: { S: String(seconds - 10) } }],
      ['milliseconds', { expires: { N: String(clock.now() + 10) } }],
      ['none', {}],
    ];
    for (const [id, more] of items)
      await client.send(new PutItemCommand({ TableName, Item: { id: { S: id }, ...more } }));
    const left = async () => {
      const found = [];
      for (const [id] of items)
        if ((await client.send(new GetItemCommand({ TableName, Key: { id: { S: id } } }))).Item)
          found.push(id);
      return found;
    };
    await clock.advance(60_000);
    expect(await left()).toContain('due');
    await clock.advance(48 * 3_600_000);
    expect(await left()).toEqual(['later', 'text', 'milliseconds', 'none']);
    expect(events.map(({ type }) => type)).toContain('dynamodb.expired');
  });

  it('keeps TTL and backup settings and answers them', async () => {
    const { client } = await start();
    await createOrders(client);
    const describeTtl = async () =>
      (await client.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;
    expect(await describeTtl()).toEqual({ TimeToLiveStatus: 'DISABLED' });
    const enable = new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    });
    await client.send(enable);
    expect(await describeTtl()).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' });
    await expect(client.send(enable)).rejects.toMatchObject({ name: 'ValidationException' });
    await client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
    const backups = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    expect(
      backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus,
    ).toBe('ENABLED');
    await expect(client.send(new DescribeTimeToLiveCommand({ TableName: 'missing' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('creates a table from a template with its index, TTL, backups and deletion protection', async () => {
    const { client, service } = await start();
    const provider = service.providers.find(({ type }) => type === 'AWS::DynamoDB::Table');
    const created = await provider?.create({
      stackName: 'S',
      logicalId: 'Store',
      generatedName: 'S-Store-1',
      account: '123456789012',
      region: 'eu-west-1',
      asset: () => '',
      properties: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: ['pk', 'sk', 'listKey'].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        })),
        BillingMode: 'PAY_PER_REQUEST',
        GlobalSecondaryIndexes: [
          {
            IndexName: 'listing',
            KeySchema: [{ AttributeName: 'listKey', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: 'true' },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
      },
    });
    expect(created?.ref).toBe('S-Store-1');
    expect(created?.attributes['Arn']).toBe('arn:aws:dynamodb:eu-west-1:123456789012:table/S-Store-1');
    await client.send(
      new PutItemCommand({
        TableName: String(created?.attributes['Arn']),
        Item: { pk: { S: 'p' }, sk: { S: 's' }, listKey: { S: 'open' } },
      }),
    );
    const found = await client.send(
      new QueryCommand({
        TableName: 'S-Store-1',
        IndexName: 'listing',
        KeyConditionExpression: 'listKey = :k',
        ExpressionAttributeValues: { ':k': { S: 'open' } },
      }),
    );
    expect(found.Items).toHaveLength(1);
    const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName: 'S-Store-1' }));
    expect(ttl.TimeToLiveDescription?.AttributeName).toBe('expiresAt');
    await expect(client.send(new DeleteTableCommand({ TableName: 'S-Store-1' }))).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });

  it('asks for the right rights, per part of a transaction or batch', async () => {
    const asked: AccessRequest[] = [];
    const { client } = await start({
      authorize: (request) => {
        asked.push(request);
        return request.action === 'dynamodb:BatchWriteItem' ? 'User: x is not authorized' : undefined;
      },
    });
    await createOrders(client);
    await expect(
      client.send(
        new BatchWriteItemCommand({
          RequestItems: { orders: [{ PutRequest: { Item: { id: { S: 'a' } } } }] },
        }),
      ),
    ).rejects.toMatchObject({ name: 'AccessDeniedException' });
    const stored = await client.send(new GetItemCommand({ TableName, Key: { id: { S: 'a' } } }));
    expect(stored.Item).toBeUndefined();
    expect(asked.map(({ action, resource }) => [action, resource])).toContainEqual([
      'dynamodb:BatchWriteItem',
      'arn:aws:dynamodb:eu-west-1:123456789012:table/orders',
    ]);
  });

  it('F76: refuses an item above 400 KB', async () => {
    const { client } = await start();
    await createOrders(client);
    await expect(
      client.send(
        new PutItemCommand({ TableName, Item: { id: { S: 'big' }, body: { S: 'x'.repeat(400 * 1024) } } }),
      ),
    ).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('says what it does not emulate', async () => {
    const { client } = await start();
    await expect(
      client.send(new ExecuteStatementCommand({ Statement: 'SELECT * FROM orders' })),
    ).rejects.toThrow(/not emulated: DynamoDB ExecuteStatement/);
  });

  it('finds its items and settings again in the data folder', async () => {
    const dataFolder = mkdtempSync(path.join(tmpdir(), 'dynamodb-'));
    const first = await startDynamoDb({ dataFolder });
    await createOrders(first.client);
    await first.client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: 'e', Enabled: true },
      }),
    );
    await first.client.send(new PutItemCommand({ TableName, Item: { id: { S: 'kept' } } }));
    await first.stop();
    const { client } = await start({ dataFolder });
    expect(
      (await client.send(new GetItemCommand({ TableName, Key: { id: { S: 'kept' } } }))).Item,
    ).toBeDefined();
    const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    expect(ttl.TimeToLiveDescription?.AttributeName).toBe('e');
  });
});
