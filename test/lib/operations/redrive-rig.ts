import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import { DynamoDbLedger } from '../../../lib/aws/redrive-ledger';
import { SqsRedriveQueues } from '../../../lib/aws/redrive-queues';
import { DynamoDbRunStore } from '../../../lib/aws/redrive-run-store';
import type { Balance } from '../../../lib/core/balance';
import type { FailureRecord } from '../../../lib/core/records';
import type { PlanRequest } from '../../../lib/core/redrive-plan';
import type { RunRecord } from '../../../lib/core/run-record';
import { failureKey, outcomeKey, sentKey } from '../../../lib/core/store-keys';
import { type Begun, beginRun } from '../../../lib/operations/begin-run';
import { judgeRun } from '../../../lib/operations/judge-run';
import { moveSlice } from '../../../lib/operations/move-slice';
import { preflightRun } from '../../../lib/operations/preflight-run';
import type { ManagedQueue } from '../../../lib/operations/redrive-ports';
import { settleRun } from '../../../lib/operations/settle-run';
import { SimulatedClock } from '../../../local/clock/simulated-clock';
import { createDynamoDb } from '../../../local/dynamodb/dynamodb';
import { Gateway } from '../../../local/gateway/gateway';
import { Identities } from '../../../local/gateway/identities';
import { createSqs, type SqsService } from '../../../local/sqs/sqs';
import { CrashPoints } from '../../crash/crash-points';
import { fakeEnvironment } from '../../local/fake-environment';

const TABLE = 'failures';

/** The operations of a redrive on real queues and a real table, step by step, in simulated time. */
export class RedriveRig {
  readonly clock = new SimulatedClock();
  readonly crash = new CrashPoints();
  readonly announced: { readonly run: RunRecord; readonly balance: Balance }[] = [];
  /** Business effects by original message id. */
  readonly effects = new Map<string, number>();
  readonly bodies = new Map<string, string>();
  private readonly gateway = new Gateway({ clock: this.clock, identities: new Identities() });
  sqs!: SqsService;
  queue!: ManagedQueue;
  queues!: SqsRedriveQueues;
  ledger!: DynamoDbLedger;
  store!: DynamoDbRunStore;
  private dynamoDb!: ReturnType<typeof createDynamoDb>;
  private clients: { destroy(): void }[] = [];
  private consumerTable!: DynamoDBClient;
  private consumerQueue!: SQSClient;

  static async start({ fifo = false } = {}): Promise<RedriveRig> {
    const rig = new RedriveRig();
    await rig.gateway.listen();
    const environment = fakeEnvironment({ clock: rig.clock, endpoint: () => rig.gateway.endpoint() });
    rig.sqs = createSqs(environment);
    rig.dynamoDb = createDynamoDb(environment);
    rig.gateway.register(rig.sqs);
    rig.gateway.register(rig.dynamoDb);
    const config = {
      endpoint: rig.gateway.endpoint(),
      region: 'eu-west-1',
      credentials: { accessKeyId: 'person', secretAccessKey: 'none' },
      maxAttempts: 1,
    };
    const dynamoDb = new DynamoDBClient(config);
    const sqs = new SQSClient(config);
    rig.consumerTable = new DynamoDBClient(config);
    rig.consumerQueue = new SQSClient(config);
    rig.clients = [dynamoDb, sqs, rig.consumerTable, rig.consumerQueue];
    await createTable(rig.consumerTable);
    rig.queue = rig.createQueues(fifo);
    rig.crash.watch(dynamoDb);
    rig.crash.watch(sqs);
    rig.queues = new SqsRedriveQueues(sqs);
    rig.ledger = new DynamoDbLedger(dynamoDb, TABLE, () => rig.clock.now());
    rig.store = new DynamoDbRunStore(dynamoDb, TABLE, randomUUID);
    return rig;
  }

  /** A message that was dead-lettered, with its failure record unless `failure` is undefined. */
  async deadLetter(
    body: string,
    failure?: Partial<FailureRecord>,
    more: { groupId?: string } = {},
  ): Promise<string> {
    const source = this.sqs.queues.byUrl(this.queue.sourceUrl);
    const { messageId } = source.send({
      body,
      senderId: 'producer',
      attributes: { trace: { dataType: 'String', stringValue: body } },
      ...(this.queue.fifo ? { groupId: more.groupId ?? 'g', deduplicationId: randomUUID() } : {}),
    });
    source.receive(10, 0);
    source.receive(10, 0);
    this.bodies.set(messageId, body);
    if (failure !== undefined)
      await this.consumerTable.send(
        new PutItemCommand({
          TableName: TABLE,
          Item: marshall({
            ...failureOf(this.queue.name, messageId, failure),
            ...failureKey(this.queue.name, messageId),
          }),
        }),
      );
    return messageId;
  }

  async begin(request: Partial<PlanRequest> = {}): Promise<Begun> {
    return beginRun(
      { queue: this.queue.name, reason: 'fixed in 1.2', operator: 'ada', select: { all: true }, ...request },
      this.queue,
      {
        queues: this.queues,
        store: this.store,
        executions: { start: async (runId) => runId, wake: async () => {} },
        clock: this.clock,
        newId: randomUUID,
      },
    );
  }

  /** What the state machine does, one step after the other, with the consumer at work while it waits. */
  async carryOut(
    runId: string,
    consume: (body: string) => boolean = () => true,
    rounds = 500,
  ): Promise<RunRecord> {
    const { queue, store, ledger, queues, clock } = this;
    const preflight = await preflightRun(runId, queue, { store, clock, checks: [] });
    let next: string = preflight.admitted ? 'move' : 'end';
    let moved = { empty: false, seconds: 0 };
    for (let round = 0; next !== 'end' && next !== 'pause' && round < rounds; round++) {
      if (next === 'move') {
        moved = await moveSlice({ runId, lane: 0, lanes: 1 }, queue, {
          queues,
          ledger,
          store,
          clock,
          remainingMs: () => 300_000,
        });
        await this.wait(moved.seconds, consume);
        next = 'judge';
      } else if (next === 'judge') {
        const depth = () => queues.depth(queue.deadLetterUrl);
        const verdict = await judgeRun(runId, moved.empty, queue, { store, ledger, clock, depth });
        next = verdict.next;
        await this.wait(verdict.waitSeconds, consume);
      } else {
        const announce = async (run: RunRecord, balance: Balance): Promise<void> => {
          this.announced.push({ run, balance });
        };
        const settled = await settleRun(runId, queue, { queues, ledger, store, clock, announce });
        next = settled.done ? 'end' : 'settle';
        await this.wait(settled.waitSeconds, consume);
      }
    }
    return (await store.load(runId)) as RunRecord;
  }

  /** Lets time pass, second by second, with a consumer that handles what is visible. */
  async wait(seconds: number, consume: (body: string) => boolean): Promise<void> {
    for (let second = 0; second < Math.max(seconds, 1); second++) {
      if (seconds > 0) await this.clock.advance(1_000);
      await this.consumeAll(consume);
    }
  }

  /** A consumer as our library is one: once for each operation, reports the outcome, isolates what fails. */
  async consumeAll(consume: (body: string) => boolean): Promise<void> {
    for (const url of [this.queue.replayUrl ?? '', this.queue.sourceUrl]) {
      const queue = this.sqs.queues.byUrl(url);
      for (const message of queue.receive(10_000, 30)) {
        const sent = await this.ledger
          .know(this.queue.name, [message.messageId])
          .then(([known]) => known?.sent);
        if (url === this.queue.replayUrl && sent === undefined) {
          queue.changeVisibility(message, 5);
          continue;
        }
        const original = sent?.originalMessageId ?? message.messageId;
        const good = consume(message.body);
        const already = this.effects.get(original);
        if (good && already === undefined) this.effects.set(original, 1);
        if (!good) {
          const copy = this.sqs.queues.byUrl(this.queue.deadLetterUrl).send({
            body: message.body,
            senderId: 'consumer',
            ...(message.attributes === undefined ? {} : { attributes: message.attributes }),
            ...(message.groupId === undefined
              ? {}
              : { groupId: message.groupId, deduplicationId: randomUUID() }),
          });
          if (sent !== undefined)
            await this.put({
              ...sent,
              newMessageId: copy.messageId,
              ...sentKey(copy.messageId),
            });
        }
        if (sent !== undefined)
          await this.put({
            ...outcomeKey(message.messageId),
            newMessageId: message.messageId,
            runId: sent.runId,
            originalMessageId: original,
            outcome: good ? 'succeeded' : 'returned',
            at: 'now',
            signature: 'v1-returned',
          });
        queue.remove(message);
      }
    }
  }

  /** Every body in the dead-letter queue, hidden or not. */
  deadBodies(): string[] {
    return [...this.sqs.queues.byUrl(this.queue.deadLetterUrl).live.values()].map(({ body }) => body).sort();
  }

  liveBodies(url: string | undefined): string[] {
    return url === undefined
      ? []
      : [...this.sqs.queues.byUrl(url).live.values()].map(({ body }) => body).sort();
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.destroy();
    this.sqs.stop();
    await this.dynamoDb.stop();
    await this.gateway.stop();
  }

  private async put(item: Record<string, unknown>): Promise<void> {
    await this.consumerTable.send(new PutItemCommand({ TableName: TABLE, Item: marshall(item) }));
  }

  private createQueues(fifo: boolean): ManagedQueue {
    const end = fifo ? '.fifo' : '';
    const type = fifo ? { FifoQueue: 'true' } : {};
    const registry = this.sqs.queues;
    const dead = registry.create(`orders-dlq${end}`, { ...type, MessageRetentionPeriod: '1209600' });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 1 });
    const source = registry.create(`orders${end}`, { ...type, RedrivePolicy });
    const replay = registry.create(`orders-replay${end}`, {
      ...type,
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 5 }),
    });
    return {
      name: `orders${end}`,
      fifo,
      sourceUrl: registry.urlOf(source),
      sourceArn: source.arn,
      deadLetterUrl: registry.urlOf(dead),
      deadLetterArn: dead.arn,
      replayUrl: registry.urlOf(replay),
      replayArn: replay.arn,
    };
  }
}

function failureOf(
  queueName: string,
  originalMessageId: string,
  more: Partial<FailureRecord>,
): FailureRecord {
  return {
    queueName,
    originalMessageId,
    messageIds: [originalMessageId],
    status: 'dead-lettered',
    failureClass: 'permanent',
    code: 'UNKNOWN_SKU',
    signature: 'v1-a',
    reason: 'unknown sku',
    attempts: 1,
    firstFailedAt: '2026-01-05T09:00:00.000Z',
    lastFailedAt: '2026-01-05T09:00:00.000Z',
    sentAt: '2026-01-05T09:00:00.000Z',
    consumerName: 'orders',
    consumerVersion: '1',
    redrives: 0,
    ...more,
  };
}

async function createTable(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: ['pk', 'sk', 'listKey', 'listSort'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'listing',
          KeySchema: [
            { AttributeName: 'listKey', KeyType: 'HASH' },
            { AttributeName: 'listSort', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
}
