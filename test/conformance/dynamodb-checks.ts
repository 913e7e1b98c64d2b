import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type Bench, type Check, equal, holds, refused } from './check';

const API = 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference';
const CONDITIONS =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html';
const TRANSACTIONS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html';

/** One table a check, with short forms of the calls. */
class Table {
  private constructor(
    readonly bench: Bench,
    readonly name: string,
  ) {}

  static async make(bench: Bench): Promise<Table> {
    const TableName = bench.name();
    const key = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
    await bench.dynamoDb.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [key('pk'), key('sk'), key('gk')],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'gsi',
            KeySchema: [{ AttributeName: 'gk', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }),
    );
    for (let attempt = 0; attempt < 50; attempt++) {
      const { Table: table } = await bench.dynamoDb.send(new DescribeTableCommand({ TableName }));
      if (table?.TableStatus === 'ACTIVE') break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return new Table(bench, TableName);
  }

  put(item: object, more: object = {}) {
    return this.bench.dynamoDb.send(
      new PutItemCommand({ TableName: this.name, Item: marshall(item), ...more }),
    );
  }

  update(pk: string, expression: string, values: object, more: object = {}) {
    return this.bench.dynamoDb.send(
      new UpdateItemCommand({
        TableName: this.name,
        Key: marshall({ pk, sk: 's' }),
        UpdateExpression: expression,
        ExpressionAttributeValues: marshall(values),
        ...more,
      }),
    );
  }

  async get(pk: string): Promise<Record<string, unknown> | undefined> {
    const { Item } = await this.bench.dynamoDb.send(
      new GetItemCommand({ TableName: this.name, Key: marshall({ pk, sk: 's' }), ConsistentRead: true }),
    );
    return Item && unmarshall(Item);
  }

  transact(...TransactItems: object[]) {
    return this.bench.dynamoDb.send(new TransactWriteItemsCommand({ TransactItems }));
  }

  putPart(item: object, more: object = {}) {
    return { Put: { TableName: this.name, Item: marshall(item), ...more } };
  }
}

function check(name: string, source: string, run: (table: Table) => Promise<void>): Check {
  return { name: `dynamodb: ${name}`, source, run: async (bench) => run(await Table.make(bench)) };
}

const item = (pk: string, more: object = {}) => ({ pk, sk: 's', ...more });
const absent = { ConditionExpression: 'attribute_not_exists(pk)' };

export const DYNAMODB_CHECKS: readonly Check[] = [
  check('an item comes back with all its types', `${API}/API_PutItem.html`, async (table) => {
    const value = { text: 'ü', number: 1.5, yes: true, nothing: null, list: [1, 'a'], map: { a: { b: 1 } } };
    await table.put(item('a', value));
    equal(await table.get('a'), item('a', value));
  }),
  check('a condition that does not hold is refused', CONDITIONS, async (table) => {
    await table.put(item('a'));
    await refused(table.put(item('a'), absent), 'ConditionalCheckFailed');
  }),
  check(
    'the old item is given with a failed condition when asked for',
    `${API}/API_PutItem.html`,
    async (table) => {
      await table.put(item('a', { n: 1 }));
      const error = await table
        .put(item('a'), { ...absent, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })
        .then(
          () => undefined,
          (thrown) => thrown,
        );
      equal(error?.Item && unmarshall(error.Item), item('a', { n: 1 }));
    },
  ),
  check('ALL_OLD gives what a put replaced', `${API}/API_PutItem.html`, async (table) => {
    await table.put(item('a', { n: 1 }));
    const { Attributes } = await table.put(item('a', { n: 2 }), { ReturnValues: 'ALL_OLD' });
    equal(Attributes && unmarshall(Attributes), item('a', { n: 1 }));
  }),
  check(
    'an update makes an item, and if_not_exists keeps a value',
    `${API}/API_UpdateItem.html`,
    async (table) => {
      await table.update('a', 'SET n = if_not_exists(n, :one)', { ':one': 1 });
      await table.update('a', 'SET n = if_not_exists(n, :two)', { ':two': 2 });
      equal(await table.get('a'), item('a', { n: 1 }));
    },
  ),
  check('ADD counts, and makes a set', `${API}/API_UpdateItem.html`, async (table) => {
    await table.update('a', 'ADD n :n, versions :v', { ':n': 2, ':v': new Set(['1']) });
    await table.update('a', 'ADD n :n, versions :v', { ':n': 3, ':v': new Set(['2']) });
    const found = await table.get('a');
    equal([found?.['n'], [...((found?.['versions'] ?? []) as Iterable<string>)].sort()], [5, ['1', '2']]);
  }),
  check('REMOVE takes attributes away', `${API}/API_UpdateItem.html`, async (table) => {
    await table.put(item('a', { n: 1, m: 2 }));
    await table.update('a', 'SET m = :m REMOVE n', { ':m': 3 });
    equal(await table.get('a'), item('a', { m: 3 }));
  }),
  check('list_append appends', `${API}/API_UpdateItem.html`, async (table) => {
    await table.put(item('a', { l: [1] }));
    await table.update('a', 'SET l = list_append(l, :more)', { ':more': [2] });
    equal((await table.get('a'))?.['l'], [1, 2]);
  }),
  check('ALL_NEW gives the item after an update', `${API}/API_UpdateItem.html`, async (table) => {
    const { Attributes } = await table.update('a', 'SET n = :n', { ':n': 1 }, { ReturnValues: 'ALL_NEW' });
    equal(Attributes && unmarshall(Attributes), item('a', { n: 1 }));
  }),
  check('an update on a key is refused', `${API}/API_UpdateItem.html`, (table) =>
    refused(table.update('a', 'SET sk = :s', { ':s': 'x' }), 'ValidationException'),
  ),
  check('conditions combine with AND, OR, NOT and comparisons', CONDITIONS, async (table) => {
    await table.put(item('a', { n: 5, state: 'open' }));
    await table.update(
      'a',
      'SET ok = :t',
      { ':t': true, ':n': 4, ':closed': 'closed' },
      {
        ConditionExpression: '(n > :n OR attribute_not_exists(n)) AND NOT #state = :closed',
        ExpressionAttributeNames: { '#state': 'state' },
      },
    );
    equal((await table.get('a'))?.['ok'], true);
  }),
  check('IN and BETWEEN and begins_with work', CONDITIONS, async (table) => {
    await table.put(item('a', { n: 5, text: 'hello' }));
    await table.update(
      'a',
      'SET ok = :t',
      { ':t': true, ':a': 1, ':b': 5, ':he': 'he' },
      {
        ConditionExpression: 'n IN (:a, :b) AND n BETWEEN :a AND :b AND begins_with(#text, :he)',
        ExpressionAttributeNames: { '#text': 'text' },
      },
    );
    equal((await table.get('a'))?.['ok'], true);
  }),
  check('a value that no expression uses is refused', `${API}/API_UpdateItem.html`, (table) =>
    refused(table.update('a', 'SET n = :n', { ':n': 1, ':unused': 2 }), 'ValidationException'),
  ),
  check(
    'an item above 400 KB is refused',
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html',
    (table) => refused(table.put(item('a', { big: 'x'.repeat(410_000) })), 'ValidationException'),
  ),
  check('an empty key is refused', `${API}/API_PutItem.html`, (table) =>
    refused(table.put({ pk: '', sk: 's' }), 'ValidationException'),
  ),
  check('deleting a missing item is no error', `${API}/API_DeleteItem.html`, async (table) => {
    await table.bench.dynamoDb.send(
      new DeleteItemCommand({ TableName: table.name, Key: marshall(item('none')) }),
    );
  }),
  check('a table that does not exist is said so', `${API}/API_GetItem.html`, (table) =>
    refused(
      table.bench.dynamoDb.send(
        new GetItemCommand({ TableName: `${table.name}-none`, Key: marshall(item('a')) }),
      ),
      'ResourceNotFoundException',
    ),
  ),
  check('a batch writes and reads', `${API}/API_BatchWriteItem.html`, async (table) => {
    const keys = ['a', 'b', 'c'];
    await table.bench.dynamoDb.send(
      new BatchWriteItemCommand({
        RequestItems: { [table.name]: keys.map((pk) => ({ PutRequest: { Item: marshall(item(pk)) } })) },
      }),
    );
    const { Responses } = await table.bench.dynamoDb.send(
      new BatchGetItemCommand({
        RequestItems: { [table.name]: { Keys: [...keys, 'none'].map((pk) => marshall(item(pk))) } },
      }),
    );
    equal(Responses?.[table.name]?.length, 3);
  }),
  check('26 writes in a batch are refused', `${API}/API_BatchWriteItem.html`, (table) =>
    refused(
      table.bench.dynamoDb.send(
        new BatchWriteItemCommand({
          RequestItems: {
            [table.name]: Array.from({ length: 26 }, (_, index) => ({
              PutRequest: { Item: marshall(item(`k${index}`)) },
            })),
          },
        }),
      ),
      'ValidationException',
    ),
  ),
  check('a query is in order of the sort key, and pages', `${API}/API_Query.html`, async (table) => {
    for (const sk of ['3', '1', '2']) await table.put({ pk: 'p', sk });
    const query = {
      TableName: table.name,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: marshall({ ':p': 'p' }),
    };
    const { Items, LastEvaluatedKey } = await table.bench.dynamoDb.send(
      new QueryCommand({ ...query, Limit: 2 }),
    );
    equal(
      Items?.map((one) => unmarshall(one)['sk']),
      ['1', '2'],
    );
    const rest = await table.bench.dynamoDb.send(
      new QueryCommand({ ...query, ExclusiveStartKey: LastEvaluatedKey }),
    );
    equal(
      rest.Items?.map((one) => unmarshall(one)['sk']),
      ['3'],
    );
  }),
  check('a query can go backwards', `${API}/API_Query.html`, async (table) => {
    for (const sk of ['1', '2']) await table.put({ pk: 'p', sk });
    const { Items } = await table.bench.dynamoDb.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: marshall({ ':p': 'p' }),
        ScanIndexForward: false,
      }),
    );
    equal(
      Items?.map((one) => unmarshall(one)['sk']),
      ['2', '1'],
    );
  }),
  check('an index holds only items that have its key', `${API}/API_Query.html`, async (table) => {
    await table.put(item('a', { gk: 'g' }));
    await table.put(item('b'));
    const { Items } = await table.bench.dynamoDb.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: 'gsi',
        KeyConditionExpression: 'gk = :g',
        ExpressionAttributeValues: marshall({ ':g': 'g' }),
      }),
    );
    equal(
      Items?.map((one) => unmarshall(one)['pk']),
      ['a'],
    );
  }),
  check('a scan filters after it reads', `${API}/API_Scan.html`, async (table) => {
    for (const n of [1, 2, 3]) await table.put(item(`k${n}`, { n }));
    const { Count, ScannedCount } = await table.bench.dynamoDb.send(
      new ScanCommand({
        TableName: table.name,
        FilterExpression: 'n > :n',
        ExpressionAttributeValues: marshall({ ':n': 1 }),
      }),
    );
    equal([Count, ScannedCount], [2, 3]);
  }),
  check('a transaction writes all', TRANSACTIONS, async (table) => {
    await table.transact(table.putPart(item('a')), table.putPart(item('b')));
    equal([await table.get('a'), await table.get('b')], [item('a'), item('b')]);
  }),
  check('a transaction with a failed condition writes nothing', TRANSACTIONS, async (table) => {
    await table.put(item('b'));
    await refused(
      table.transact(table.putPart(item('a')), table.putPart(item('b'), absent)),
      'TransactionCanceledException',
    );
    equal(await table.get('a'), undefined);
  }),
  check('a cancelled transaction says why, for each part', TRANSACTIONS, async (table) => {
    await table.put(item('b'));
    const error = await table.transact(table.putPart(item('a')), table.putPart(item('b'), absent)).then(
      () => undefined,
      (thrown) => thrown,
    );
    equal(
      error?.CancellationReasons?.map(({ Code }: { Code: string }) => Code),
      ['None', 'ConditionalCheckFailed'],
    );
  }),
  check('two parts on one item are refused', TRANSACTIONS, (table) =>
    refused(table.transact(table.putPart(item('a')), table.putPart(item('a'))), 'ValidationException'),
  ),
  check('a condition check guards without writing', TRANSACTIONS, async (table) => {
    const guard = {
      ConditionCheck: {
        TableName: table.name,
        Key: marshall(item('guard')),
        ConditionExpression: 'attribute_exists(pk)',
      },
    };
    await refused(table.transact(table.putPart(item('a')), guard), 'TransactionCanceledException');
    await table.put(item('guard'));
    await table.transact(table.putPart(item('a')), guard);
    equal(await table.get('a'), item('a'));
  }),
  check('the same token twice writes once', TRANSACTIONS, async (table) => {
    const write = new TransactWriteItemsCommand({
      ClientRequestToken: table.name.slice(0, 36),
      TransactItems: [
        {
          Update: {
            TableName: table.name,
            Key: marshall(item('a')),
            UpdateExpression: 'ADD n :n',
            ExpressionAttributeValues: marshall({ ':n': 1 }),
          },
        },
      ],
    });
    await table.bench.dynamoDb.send(write);
    await table.bench.dynamoDb.send(write);
    equal((await table.get('a'))?.['n'], 1);
  }),
  check('a transaction reads all', `${API}/API_TransactGetItems.html`, async (table) => {
    await table.put(item('a'));
    const { Responses } = await table.bench.dynamoDb.send(
      new TransactGetItemsCommand({
        TransactItems: ['a', 'none'].map((pk) => ({
          Get: { TableName: table.name, Key: marshall(item(pk)) },
        })),
      }),
    );
    equal(
      Responses?.map(({ Item }) => Item !== undefined),
      [true, false],
    );
  }),
  check(
    'time to live can be switched on and described',
    `${API}/API_UpdateTimeToLive.html`,
    async (table) => {
      await table.bench.dynamoDb.send(
        new UpdateTimeToLiveCommand({
          TableName: table.name,
          TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        }),
      );
      const { TimeToLiveDescription: described } = await table.bench.dynamoDb.send(
        new DescribeTimeToLiveCommand({ TableName: table.name }),
      );
      equal(described?.AttributeName, 'ttl');
      holds(/^ENABL/.test(described?.TimeToLiveStatus ?? ''), 'enabled');
    },
  ),
  check('continuous backups are described', `${API}/API_DescribeContinuousBackups.html`, async (table) => {
    const { ContinuousBackupsDescription } = await table.bench.dynamoDb.send(
      new DescribeContinuousBackupsCommand({ TableName: table.name }),
    );
    equal(ContinuousBackupsDescription?.ContinuousBackupsStatus, 'ENABLED');
  }),
];
