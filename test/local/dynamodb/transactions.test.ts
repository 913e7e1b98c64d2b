import {
  GetItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  type TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOrders, startDynamoDb, type TestDynamoDb } from './dynamodb-server';

let db: TestDynamoDb;
beforeEach(async () => {
  db = await startDynamoDb();
  await createOrders(db.client);
});
afterEach(() => db.stop());

const TableName = 'orders';
const put = (id: string, more: Record<string, { S: string }> = {}): TransactWriteItem => ({
  Put: { TableName, Item: { id: { S: id }, ...more } },
});
const putOnce = (id: string): TransactWriteItem => ({
  Put: {
    TableName,
    Item: { id: { S: id } },
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});
const write = (TransactItems: TransactWriteItem[], ClientRequestToken?: string) =>
  db.client.send(
    new TransactWriteItemsCommand({ TransactItems, ...(ClientRequestToken ? { ClientRequestToken } : {}) }),
  );
const read = async (id: string) =>
  (await db.client.send(new GetItemCommand({ TableName, Key: { id: { S: id } } }))).Item;

describe('TransactWriteItems', () => {
  it('writes, updates, deletes and checks together', async () => {
    await write([put('a', { state: { S: 'new' } }), put('b')]);
    await write([
      {
        Update: {
          TableName,
          Key: { id: { S: 'a' } },
          UpdateExpression: 'SET #state = :state ADD tries :one',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':state': { S: 'done' }, ':one': { N: '1' } },
        },
      },
      { Delete: { TableName, Key: { id: { S: 'b' } } } },
      {
        ConditionCheck: {
          TableName,
          Key: { id: { S: 'c' } },
          ConditionExpression: 'attribute_not_exists(id)',
        },
      },
    ]);
    expect(await read('a')).toEqual({ id: { S: 'a' }, state: { S: 'done' }, tries: { N: '1' } });
    expect(await read('b')).toBeUndefined();
    expect(await read('c')).toBeUndefined();
  });

  it('changes nothing when one condition fails, and says which with the old item', async () => {
    await write([put('taken', { by: { S: 'first' } })]);
    const error = (await write([put('x'), putOnce('taken')]).catch((e) => e)) as TransactionCanceledException;
    expect(error.name).toBe('TransactionCanceledException');
    expect(error.message).toContain('[None, ConditionalCheckFailed]');
    expect(error.CancellationReasons?.map(({ Code }) => Code)).toEqual(['None', 'ConditionalCheckFailed']);
    expect(error.CancellationReasons?.[1]?.Item).toEqual({ id: { S: 'taken' }, by: { S: 'first' } });
    expect(await read('x')).toBeUndefined();
  });

  it('undoes what was applied when a later part turns out to be impossible', async () => {
    await write([put('a', { state: { S: 'old' } }), put('text', { tries: { S: 'three' } })]);
    const error = (await write([
      put('a', { state: { S: 'changed' } }),
      put('fresh'),
      {
        Update: {
          TableName,
          Key: { id: { S: 'text' } },
          UpdateExpression: 'ADD tries :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        },
      },
    ]).catch((e) => e)) as TransactionCanceledException;
    expect(error.CancellationReasons?.map(({ Code }) => Code)).toEqual(['None', 'None', 'ValidationError']);
    expect(await read('a')).toEqual({ id: { S: 'a' }, state: { S: 'old' } });
    expect(await read('fresh')).toBeUndefined();
  });

  it('lets exactly one of many concurrent claims win', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => write([putOnce('claim'), put(`effect-${index}`)])),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const effects = await Promise.all(Array.from({ length: 30 }, (_, index) => read(`effect-${index}`)));
    expect(effects.filter(Boolean)).toHaveLength(1);
  });

  it('never lets a read see half of a transaction', async () => {
    await write([put('left', { n: { S: '0' } }), put('right', { n: { S: '0' } })]);
    const writers = Array.from({ length: 20 }, (_, index) =>
      write([put('left', { n: { S: `${index}` } }), put('right', { n: { S: `${index}` } })]),
    );
    const readers = Array.from({ length: 20 }, async () => {
      const { Responses } = await db.client.send(
        new TransactGetItemsCommand({
          TransactItems: ['left', 'right'].map((id) => ({ Get: { TableName, Key: { id: { S: id } } } })),
        }),
      );
      return Responses?.map(({ Item }) => Item?.['n']?.S);
    });
    for (const pair of await Promise.all(readers)) {
      expect(pair).toHaveLength(2);
      expect(pair?.[0]).toBe(pair?.[1]);
    }
    await Promise.all(writers);
  });

  it('answers a repeated client token once, for ten minutes, and refuses another request under it', async () => {
    const increase: TransactWriteItem[] = [
      {
        Update: {
          TableName,
          Key: { id: { S: 'counter' } },
          UpdateExpression: 'ADD n :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        },
      },
    ];
    await write(increase, 'token-1');
    await write(increase, 'token-1');
    expect((await read('counter'))?.['n']).toEqual({ N: '1' });
    await expect(write([put('other')], 'token-1')).rejects.toMatchObject({
      name: 'IdempotentParameterMismatchException',
    });
    await db.clock.advance(10 * 60_000 + 1);
    await write(increase, 'token-1');
    expect((await read('counter'))?.['n']).toEqual({ N: '2' });
  });

  it.each([
    ['an empty list', []],
    ['101 operations', Array.from({ length: 101 }, (_, index) => put(`n-${index}`))],
    ['two operations on one item', [put('same'), putOnce('same')]],
    [
      'an unknown attribute in a condition',
      [{ Put: { TableName, Item: { id: { S: 'a' } }, ConditionExpression: 'x = :missing' } }],
    ],
    ['a key of the wrong type', [{ Put: { TableName, Item: { id: { N: '1' } } } }]],
  ])('refuses %s', async (_, items) => {
    await expect(write(items as TransactWriteItem[])).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('is kept apart from single writes that run at the same time', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? write([putOnce(`mixed-${index}`)])
          : db.client.send(new PutItemCommand({ TableName, Item: { id: { S: `mixed-${index}` } } })),
      ),
    );
    const items = await Promise.all(Array.from({ length: 40 }, (_, index) => read(`mixed-${index}`)));
    expect(items.filter(Boolean)).toHaveLength(40);
  });
});
