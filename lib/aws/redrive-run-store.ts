import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type MoveCounts, NOTHING_MOVED, type OutcomeCounts, type RunRecord } from '../core/run-record';
import { auditKey, runKey, runListing, runLockKey, STORE_ATTRIBUTES } from '../core/store-keys';
import type { AuditLine, RunStore } from '../operations/redrive-ports';

const OUTCOMES: OutcomeCounts = { succeeded: 0, returned: 0, expired: 0 };

/** Runs, their lock and the audit trail in the failure store table. Counters are attributes of their own, so that adding needs no read. */
export class DynamoDbRunStore implements RunStore {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly newId: () => string,
  ) {}

  async create(run: RunRecord): Promise<void> {
    await this.client.send(
      new PutItemCommand({
        TableName: this.table,
        Item: marshall(
          {
            ...withoutCounters(run),
            ...runKey(run.runId),
            plan: JSON.stringify(run.plan),
            [STORE_ATTRIBUTES.indexPartition]: runListing(run.plan.queue),
            [STORE_ATTRIBUTES.indexSort]: run.createdAt,
          },
          { removeUndefinedValues: true },
        ),
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
  }

  async load(runId: string): Promise<RunRecord | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({ TableName: this.table, Key: marshall(runKey(runId)), ConsistentRead: true }),
    );
    return Item === undefined ? undefined : runOf(unmarshall(Item));
  }

  async save(run: RunRecord, changes: Partial<RunRecord>): Promise<RunRecord | undefined> {
    const entries = Object.entries({ ...changes, version: run.version + 1 });
    // A change of state is the answer to what was asked for.
    const answered = changes.state === undefined ? '' : ' REMOVE #requested';
    const updated = await this.update(run.runId, {
      expression: `SET ${entries.map((_, index) => `#n${index} = :v${index}`).join(', ')}${answered}`,
      names: {
        ...Object.fromEntries(entries.map(([name], index) => [`#n${index}`, name])),
        '#version': 'version',
        ...(answered === '' ? {} : { '#requested': 'requested' }),
      },
      values: {
        ...Object.fromEntries(entries.map(([, value], index) => [`:v${index}`, value])),
        ':version': run.version,
      },
      condition: '#version = :version',
    });
    return updated;
  }

  async count(
    runId: string,
    { moved = {}, outcomes = {} }: { moved?: Partial<MoveCounts>; outcomes?: Partial<OutcomeCounts> },
  ): Promise<void> {
    const deltas = Object.entries({ ...moved, ...outcomes }).filter(([, delta]) => delta !== 0);
    if (deltas.length === 0) return;
    await this.update(runId, {
      expression: `ADD ${deltas.map((_, index) => `#n${index} :v${index}`).join(', ')}`,
      names: Object.fromEntries(deltas.map(([name], index) => [`#n${index}`, counterName(name)])),
      values: Object.fromEntries(deltas.map(([, delta], index) => [`:v${index}`, delta])),
      condition: 'attribute_exists(pk)',
    });
  }

  async request(runId: string, request: 'pause' | 'cancel', states: readonly string[]): Promise<boolean> {
    const updated = await this.update(runId, {
      expression: 'SET #requested = :request',
      names: { '#requested': 'requested', '#state': 'state' },
      values: {
        ':request': request,
        ...Object.fromEntries(states.map((state, index) => [`:s${index}`, state])),
      },
      condition: `#state IN (${states.map((_, index) => `:s${index}`).join(', ')})`,
    });
    return updated !== undefined;
  }

  async setRate(runId: string, rate: number): Promise<void> {
    await this.update(runId, {
      expression: 'SET #rate = :rate',
      names: { '#rate': 'rate' },
      values: { ':rate': rate },
      condition: 'attribute_exists(pk)',
    });
  }

  async lock(queueName: string, runId: string, nowMs: number, untilMs: number): Promise<string | undefined> {
    try {
      await this.client.send(
        new PutItemCommand({
          TableName: this.table,
          Item: marshall({ ...runLockKey(queueName), runId, untilMs }),
          ConditionExpression: 'attribute_not_exists(pk) OR untilMs < :now OR runId = :run',
          ExpressionAttributeValues: marshall({ ':now': nowMs, ':run': runId }),
        }),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const { Item } = await this.client.send(
        new GetItemCommand({
          TableName: this.table,
          Key: marshall(runLockKey(queueName)),
          ConsistentRead: true,
        }),
      );
      return Item === undefined ? 'unknown' : String(unmarshall(Item)['runId']);
    }
  }

  async unlock(queueName: string, runId: string): Promise<void> {
    try {
      await this.client.send(
        new DeleteItemCommand({
          TableName: this.table,
          Key: marshall(runLockKey(queueName)),
          ConditionExpression: 'runId = :run',
          ExpressionAttributeValues: marshall({ ':run': runId }),
        }),
      );
    } catch (error) {
      // Somebody else has the queue by now, or nobody.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  async list(queueName: string, limit: number): Promise<RunRecord[]> {
    const { Items } = await this.client.send(
      new QueryCommand({
        TableName: this.table,
        IndexName: STORE_ATTRIBUTES.indexName,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': STORE_ATTRIBUTES.indexPartition },
        ExpressionAttributeValues: marshall({ ':partition': runListing(queueName) }),
        ScanIndexForward: false,
        Limit: limit,
      }),
    );
    return (Items ?? []).map((item) => runOf(unmarshall(item)));
  }

  async audit(queueName: string, line: AuditLine): Promise<void> {
    await this.client.send(
      new PutItemCommand({
        TableName: this.table,
        Item: marshall(
          { ...line, ...auditKey(queueName, line.at, this.newId()) },
          { removeUndefinedValues: true },
        ),
      }),
    );
  }

  private async update(
    runId: string,
    change: {
      readonly expression: string;
      readonly names: Record<string, string>;
      readonly values: Record<string, unknown>;
      readonly condition: string;
    },
  ): Promise<RunRecord | undefined> {
    try {
      const { Attributes } = await this.client.send(
        new UpdateItemCommand({
          TableName: this.table,
          Key: marshall(runKey(runId)),
          UpdateExpression: change.expression,
          ConditionExpression: change.condition,
          ExpressionAttributeNames: change.names,
          ExpressionAttributeValues: marshall(change.values, { removeUndefinedValues: true }),
          ReturnValues: 'ALL_NEW',
        }),
      );
      return runOf(unmarshall(Attributes ?? {}));
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }
}

function counterName(name: string): string {
  return `count_${name}`;
}

function withoutCounters({
  counts: _counts,
  outcomes: _outcomes,
  ...run
}: RunRecord): Omit<RunRecord, 'counts' | 'outcomes'> {
  return run;
}

function runOf(item: Record<string, unknown>): RunRecord {
  const read = <T extends object>(names: T): T =>
    Object.fromEntries(Object.keys(names).map((name) => [name, Number(item[counterName(name)] ?? 0)])) as T;
  const fields = Object.entries(item).filter(
    ([name]) =>
      !name.startsWith('count_') && !['pk', 'sk', 'listKey', 'listSort', 'expiresAt'].includes(name),
  );
  return {
    ...(Object.fromEntries(fields) as unknown as RunRecord),
    plan: JSON.parse(String(item['plan'])),
    counts: read(NOTHING_MOVED),
    outcomes: read(OUTCOMES),
  };
}
