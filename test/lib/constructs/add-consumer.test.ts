import { Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Alias, type IFunction, type IVersion, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type ConsumerMappingOptions, FailureStore, IdempotencyTable } from 'cdk-redrive';
import { describe, expect, it } from 'vitest';
import { CONSUMER_ENVIRONMENT, type ConsumerQueue } from '../../../lib/core/consumer-environment';
import { ofType, only, type Resources, Shop } from './shop';

/** Text of a value that is joined from literals and references, each of these as `<id.attribute>`. */
function flat(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': get, 'Fn::Join': join } = value as Record<string, unknown>;
  if (Array.isArray(join)) return (join[1] as unknown[]).map(flat).join('');
  return `<${String(Ref ?? (get as string[]).join('.'))}>`;
}

function environment(resources: Resources, id: RegExp): Record<string, unknown> {
  return (only(resources, id).Properties['Environment'] as { Variables: Record<string, unknown> }).Variables;
}

function mappings(resources: Resources): Record<string, unknown>[] {
  return ofType(resources, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties);
}

describe('a consumer', () => {
  it('is fed from the source queue and, more slowly, from the replay queue', () => {
    const shop = new Shop();
    shop.queue().addConsumer(shop.consumer());
    const resources = shop.resources();
    expect(mappings(resources)).toEqual(
      [
        ['OrdersSourceQueue', 50],
        ['OrdersReplayQueue', 5],
      ].map(([queue, MaximumConcurrency]) => ({
        BatchSize: 10,
        EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching(`^${queue}`), 'Arn'] },
        FunctionName: { Ref: expect.stringMatching(/^Ship/) },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency },
      })),
    );
  });

  it('has no dead-letter queue of its own, and no leave to loop (F14, F35)', () => {
    const shop = new Shop();
    shop.queue().addConsumer(shop.consumer());
    const { Properties } = only(shop.resources(), /^Ship[0-9A-F]{8}$/);
    expect(Properties['Timeout']).toBe(30);
    expect(Properties).not.toHaveProperty('DeadLetterConfig');
    expect(Properties).not.toHaveProperty('RecursiveLoop');
  });

  it('may do what mapping and library do, and nothing else', () => {
    const shop = new Shop();
    shop.queue().addConsumer(shop.consumer());
    const { Statement } = only(shop.resources(), /^ShipServiceRoleDefaultPolicy/).Properties[
      'PolicyDocument'
    ] as {
      Statement: { Action: string | string[]; Resource: unknown; Effect: string }[];
    };
    const rights = Statement.flatMap(({ Action, Resource, Effect }) =>
      [Resource]
        .flat()
        .flatMap((resource) =>
          [Action]
            .flat()
            .map((action) => `${Effect} ${action} ${flat(resource).replace(/[0-9A-F]{8}\.Arn/, '')}`),
        ),
    );
    const queue = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'];
    expect(rights.sort()).toEqual(
      [
        ...['Source', 'Replay'].flatMap((name) =>
          queue.map((action) => `Allow sqs:${action} <Orders${name}Queue>`),
        ),
        'Allow sqs:SendMessage <OrdersDeadLetterQueue>',
        ...['PutItem', 'UpdateItem', 'DeleteItem'].map(
          (action) => `Allow dynamodb:${action} <RedriveIdempotencyTable>`,
        ),
        ...['UpdateItem', 'BatchGetItem', 'BatchWriteItem'].map(
          (action) => `Allow dynamodb:${action} <RedriveFailureStoreTable>`,
        ),
      ].sort(),
    );
  });

  it('may use the keys of the tables it writes to', () => {
    const shop = new Shop();
    const key = new Key(shop.stack, 'TableKey');
    shop
      .queue({
        failureStore: new FailureStore(shop.stack, 'Failures', { encryptionKey: key }),
        idempotencyTable: new IdempotencyTable(shop.stack, 'Done', { encryptionKey: key }),
      })
      .addConsumer(shop.consumer());
    const resources = shop.resources();
    for (const role of [/^ShipServiceRoleDefaultPolicy/, /MoveServiceRoleDefaultPolicy/])
      expect(JSON.stringify(only(resources, role))).toContain(
        '"Action":["kms:Decrypt","kms:GenerateDataKey"],"Effect":"Allow","Resource":{"Fn::GetAtt":["TableKey',
      );
  });

  it('is told of its queues and tables, of all queues that feed it', () => {
    const shop = new Shop();
    const consumer = shop.consumer();
    shop
      .queue({ maxReceiveCount: 7 })
      .addConsumer(consumer, { consumerName: 'shipper', consumerVersion: '12' });
    shop.queue({ replayQueue: false, retentionPeriod: Duration.days(1) }, 'Bills').addConsumer(consumer);
    const variables = environment(shop.resources(), /^Ship[0-9A-F]{8}$/);
    const queues = JSON.parse(flat(variables[CONSUMER_ENVIRONMENT.queues])) as ConsumerQueue[];
    expect(queues).toEqual([
      {
        sourceArn: expect.stringMatching(/^<OrdersSourceQueue.{8}\.Arn>$/),
        sourceUrl: expect.stringMatching(/^<OrdersSourceQueue.{8}>$/),
        deadLetterArn: expect.stringMatching(/^<OrdersDeadLetterQueue.{8}\.Arn>$/),
        deadLetterUrl: expect.stringMatching(/^<OrdersDeadLetterQueue.{8}>$/),
        replayArn: expect.stringMatching(/^<OrdersReplayQueue.{8}\.Arn>$/),
        replayUrl: expect.stringMatching(/^<OrdersReplayQueue.{8}>$/),
        maxReceiveCount: 7,
        visibilitySeconds: 180,
        retentionSeconds: 18 * 86_400,
      },
      {
        sourceArn: expect.stringMatching(/^<BillsSourceQueue/),
        sourceUrl: expect.stringMatching(/^<BillsSourceQueue/),
        deadLetterArn: expect.stringMatching(/^<BillsDeadLetterQueue/),
        deadLetterUrl: expect.stringMatching(/^<BillsDeadLetterQueue/),
        maxReceiveCount: 5,
        visibilitySeconds: 180,
        retentionSeconds: 15 * 86_400,
      },
    ]);
    expect(flat(variables[CONSUMER_ENVIRONMENT.failureTable])).toMatch(/^<RedriveFailureStoreTable/);
    expect(flat(variables[CONSUMER_ENVIRONMENT.idempotencyTable])).toMatch(/^<RedriveIdempotencyTable/);
    expect(variables[CONSUMER_ENVIRONMENT.consumerName]).toBe('shipper');
    expect(variables[CONSUMER_ENVIRONMENT.consumerVersion]).toBe('12');
  });

  it('can be an alias, whose function is the one that is looked at', () => {
    const shop = new Shop();
    const consumer = shop.consumer({ reservedConcurrentExecutions: 10 });
    const queue = shop.queue();
    // The declarations of aws-cdk do not hold with exactOptionalPropertyTypes.
    const version = consumer.currentVersion as IVersion;
    queue.addConsumer(new Alias(shop.stack, 'Live', { aliasName: 'live', version }) as unknown as IFunction);
    expect(queue.visibilitySeconds()).toBe(180);
    expect(shop.problems()).toContain('55 times at once, but 10 are reserved');
  });

  it('of an unknown timeout is asked for it, and told what to set in its own stack', () => {
    const shop = new Shop();
    const there = LambdaFunction.fromFunctionArn(
      shop.stack,
      'There',
      'arn:aws:lambda:eu-west-1:111122223333:function:there',
    );
    const queue = shop.queue();
    queue.addConsumer(there);
    Annotations.fromStack(shop.stack).hasWarning(
      '/Shop/Orders',
      Match.stringLikeRegexp('give functionTimeout'),
    );
    Annotations.fromStack(shop.stack).hasInfo('/Shop/Orders', Match.stringLikeRegexp('REDRIVE_QUEUES'));
    expect(ofType(shop.resources(), 'AWS::Lambda::EventSourceMapping')).toHaveLength(2);
  });

  it('of a told timeout gets the visibility that it needs', () => {
    const shop = new Shop();
    const there = LambdaFunction.fromFunctionArn(
      shop.stack,
      'There',
      'arn:aws:lambda:eu-west-1:111122223333:function:there',
    );
    const queue = shop.queue();
    queue.addConsumer(there, { functionTimeout: Duration.seconds(50) });
    expect(queue.visibilitySeconds()).toBe(300);
  });

  it('of another stack has its mappings and alarms there', () => {
    const shop = new Shop();
    const queue = shop.queue();
    const other = new Stack(shop.app, 'Other');
    const near = shop.stack;
    (shop as { stack: Stack }).stack = other;
    queue.addConsumer(shop.consumer());
    shop.app.synth();
    Template.fromStack(other).resourceCountIs('AWS::Lambda::EventSourceMapping', 2);
    Template.fromStack(other).hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'Throttles' });
    Template.fromStack(near).resourceCountIs('AWS::Lambda::EventSourceMapping', 0);
  });

  it('with pollers of its own has no maximum concurrency beside them', () => {
    const shop = new Shop();
    shop.queue().addConsumer(shop.consumer(), { provisionedPollers: { maximum: 20 } });
    const [source, replay] = mappings(shop.resources());
    expect(source).toMatchObject({ ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 20 } });
    expect(source).not.toHaveProperty('ScalingConfig');
    expect(replay).toMatchObject({ ScalingConfig: { MaximumConcurrency: 5 } });
  });
});

describe('what is refused of a consumer', () => {
  it.each<[code: string, text: RegExp, options: ConsumerMappingOptions, fifo?: boolean]>([
    ['BATCH_SIZE_RANGE', /batchSize is 10001/, { batchSize: 10_001, maxBatchingWindow: Duration.seconds(1) }],
    ['BATCH_SIZE_RANGE', /batchSize is 0/, { batchSize: 0 }],
    ['BATCH_SIZE_RANGE', /batchSize is 11; 1 to 10 are/, { batchSize: 11 }, true],
    ['BATCH_NEEDS_WINDOW', /batchSize 11 needs/, { batchSize: 11 }],
    ['BATCH_NEEDS_WINDOW', /batchSize 100 needs/, { batchSize: 100, maxBatchingWindow: Duration.seconds(0) }],
    ['FIFO_WINDOW', /no batching window/, { maxBatchingWindow: Duration.seconds(5) }, true],
    ['WINDOW_RANGE', /is 301; 0 to 300/, { maxBatchingWindow: Duration.seconds(301) }],
    ['CONCURRENCY_RANGE', /maxConcurrency is 1;/, { maxConcurrency: 1 }],
    ['CONCURRENCY_RANGE', /replayMaxConcurrency is 1;/, { replayMaxConcurrency: 1 }],
    ['POLLERS_RANGE', /minimum is 1; 2 to 200/, { provisionedPollers: { minimum: 1 } }],
    ['POLLERS_RANGE', /maximum is 4; 10 to 2,000/, { provisionedPollers: { minimum: 10, maximum: 4 } }],
    ['POLLERS_AND_MAXIMUM', /exclude each other/, { provisionedPollers: {}, maxConcurrency: 10 }],
    ['FILTER_DROPS', /dropsNonMatching/, { filters: ['{"body":{"kind":["a"]}}'] }],
    [
      'FILTER_KEY',
      /at 'messageAttributes'/,
      { filters: ['{"messageAttributes":{"kind":["a"]}}'], dropsNonMatching: true },
    ],
    ['FILTER_KEY', /at 'kind = a'/, { filters: ['kind = a'], dropsNonMatching: true }],
  ])('%s: %s', (code, text, options, fifo = false) => {
    const shop = new Shop();
    shop.queue({ fifo }).addConsumer(shop.consumer(), options);
    const said = shop.problems();
    expect(said).toContain(`${code}: Shop/Ship`);
    expect(said).toMatch(text);
  });

  it('a sum of concurrencies above its reserve, over all its queues (F06)', () => {
    const shop = new Shop();
    const consumer = shop.consumer({ reservedConcurrentExecutions: 10 });
    const options = { maxConcurrency: 4, replayMaxConcurrency: 2 };
    shop.queue().addConsumer(consumer, options);
    expect(shop.problems()).toBe('');
    const twice = new Shop();
    const busy = twice.consumer({ reservedConcurrentExecutions: 10 });
    twice.queue().addConsumer(busy, options);
    twice.queue({}, 'Bills').addConsumer(busy, options);
    expect(twice.problems()).toContain(
      'CONCURRENCY_ABOVE_RESERVE: Shop/Ship: its mappings may call it 12 times at once, but 10 are reserved',
    );
  });

  it('two consumers of one queue, one of them filtered (F48)', () => {
    const shop = new Shop();
    const queue = shop.queue();
    queue.addConsumer(shop.consumer(), { filters: ['{"body":{"kind":["a"]}}'], dropsNonMatching: true });
    expect(shop.problems()).toBe('');
    const both = new Shop();
    const shared = both.queue();
    shared.addConsumer(both.consumer(), { filters: ['{"body":{"kind":["a"]}}'], dropsNonMatching: true });
    shared.addConsumer(both.consumer({}, 'Bill'));
    expect(both.problems()).toContain('FILTERS_COMPETE: Shop/Orders');
  });

  it('two queues with different tables for one function', () => {
    const shop = new Shop();
    const consumer = shop.consumer();
    shop.queue().addConsumer(consumer);
    shop.queue({ failureStore: new FailureStore(shop.stack, 'Other') }, 'Bills').addConsumer(consumer);
    Annotations.fromStack(shop.stack).hasError('/Shop/Bills', Match.stringLikeRegexp('STORES_DIFFER'));
  });
});
