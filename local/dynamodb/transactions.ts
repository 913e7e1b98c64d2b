import { createHash } from 'node:crypto';
import type { Clock } from '../clock/clock';
import type { DynaliteOperation, DynaliteStore, Item, Parameters, Table } from './dynalite-store';
import { database, perform, storedItem, tableOf, validated } from './dynalite-store';
import { DynamoDbError, validationError } from './dynamodb-error';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const MAXIMUM_OPERATIONS = 100;
const MAXIMUM_BYTES = 4 * 1024 * 1024;
const TOKEN_LIFE_MS = 10 * 60_000;

interface CancellationReason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

interface TransactionOperation {
  readonly operation: DynaliteOperation;
  readonly kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  readonly checked: Parameters;
  readonly table: Table;
  readonly key: Item;
  readonly returnOld: boolean;
}

const OPERATIONS: Readonly<Record<TransactionOperation['kind'], DynaliteOperation>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  // A condition check takes what a delete takes; it is only never performed.
  ConditionCheck: 'DeleteItem',
};

/** Transactions on top of dynalite, which has none. The caller keeps everything else out meanwhile. */
export class Transactions {
  private readonly tokens = new Map<string, { readonly digest: string; readonly expires: number }>();

  constructor(
    private readonly store: DynaliteStore,
    private readonly clock: Clock,
  ) {}

  async write(parameters: Parameters): Promise<Parameters> {
    const items = itemsOf(parameters);
    if (Buffer.byteLength(JSON.stringify(items)) > 2 * MAXIMUM_BYTES)
      throw validationError('Member must have length less than or equal to 4194304');
    const token = parameters['ClientRequestToken'];
    const digest = createHash('sha256').update(JSON.stringify(items)).digest('base64');
    if (typeof token === 'string' && this.isRepeated(token, digest)) return {};

    const operations: TransactionOperation[] = [];
    for (const item of items) operations.push(await this.prepare(item));
    refuseRepeatedKeys(operations);
    const before = await this.check(operations);
    await this.apply(operations, before);
    if (typeof token === 'string')
      this.tokens.set(token, { digest, expires: this.clock.now() + TOKEN_LIFE_MS });
    return {};
  }

  async get(parameters: Parameters): Promise<Parameters> {
    const responses: Parameters[] = [];
    for (const entry of itemsOf(parameters)) {
      const get = entry['Get'];
      if (!isRecord(get)) throw validationError('TransactItems can only contain Get');
      const result = await perform(this.store, 'GetItem', validated(this.store, 'GetItem', get));
      responses.push(result['Item'] === undefined ? {} : { Item: result['Item'] });
    }
    return { Responses: responses };
  }

  private isRepeated(token: string, digest: string): boolean {
    const now = this.clock.now();
    for (const [key, { expires }] of this.tokens) if (expires <= now) this.tokens.delete(key);
    const known = this.tokens.get(token);
    if (known === undefined) return false;
    if (known.digest !== digest)
      throw new DynamoDbError(
        'IdempotentParameterMismatchException',
        'The request uses the same client token as a previous, but non-identical request.',
      );
    return true;
  }

  private async prepare(entry: Parameters): Promise<TransactionOperation> {
    const kinds = Object.keys(entry).filter((kind) => entry[kind] != null);
    const kind = kinds[0] as TransactionOperation['kind'] | undefined;
    if (kinds.length !== 1 || kind === undefined || !(kind in OPERATIONS))
      throw validationError('TransactItems can only contain one of Check, Put, Update or Delete');
    const details = entry[kind];
    if (!isRecord(details)) throw validationError(`${kind} must be a structure`);
    if (kind === 'ConditionCheck' && typeof details['ConditionExpression'] !== 'string')
      throw validationError(
        "Value null at 'conditionExpression' failed to satisfy constraint: Member must not be null",
      );
    const { ReturnValuesOnConditionCheckFailure: returnOld, ...rest } = details;
    const checked = validated(this.store, OPERATIONS[kind], rest);
    const table = await tableOf(this.store, String(checked['TableName']));
    const source = (kind === 'Put' ? checked['Item'] : checked['Key']) as Item;
    const key = Object.fromEntries(
      table.KeySchema.map(({ AttributeName: name }) => [name, source[name] ?? {}]),
    );
    const invalid = database.validateKey(key, table);
    if (invalid != null) throw invalid;
    return { operation: OPERATIONS[kind], kind, checked, table, key, returnOld: returnOld === 'ALL_OLD' };
  }

  /** Evaluates every condition against the items as they are; answers these items. */
  private async check(operations: readonly TransactionOperation[]): Promise<(Item | undefined)[]> {
    const before: (Item | undefined)[] = [];
    const reasons: CancellationReason[] = [];
    for (const { checked, table, key, returnOld } of operations) {
      const item = await storedItem(this.store, table, key);
      before.push(item);
      const failed = database.checkConditional(checked, item);
      reasons.push(
        failed == null
          ? { Code: 'None' }
          : {
              Code: 'ConditionalCheckFailed',
              Message: 'The conditional request failed',
              ...(returnOld && item !== undefined ? { Item: item } : {}),
            },
      );
    }
    refuseWhenAny(reasons);
    return before;
  }

  private async apply(
    operations: readonly TransactionOperation[],
    before: readonly (Item | undefined)[],
  ): Promise<void> {
    for (const [index, { kind, operation, checked }] of operations.entries()) {
      if (kind === 'ConditionCheck') continue;
      try {
        await perform(this.store, operation, checked);
      } catch (error) {
        await this.undo(operations.slice(0, index), before);
        const message = error instanceof Error ? error.message : String(error);
        refuseWhenAny(
          operations.map((_, at) =>
            at === index ? { Code: 'ValidationError', Message: message } : { Code: 'None' },
          ),
        );
      }
    }
  }

  private async undo(
    applied: readonly TransactionOperation[],
    before: readonly (Item | undefined)[],
  ): Promise<void> {
    for (const [index, { kind, table, key }] of applied.entries()) {
      if (kind === 'ConditionCheck') continue;
      const item = before[index];
      const TableName = table.TableName;
      if (item === undefined) await perform(this.store, 'DeleteItem', { TableName, Key: key });
      else await perform(this.store, 'PutItem', { TableName, Item: item });
    }
  }
}

function itemsOf(parameters: Parameters): Parameters[] {
  const items = parameters['TransactItems'];
  if (!Array.isArray(items) || items.length === 0 || items.length > MAXIMUM_OPERATIONS)
    throw validationError(
      "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: " +
        `Member must have length less than or equal to ${MAXIMUM_OPERATIONS}, and greater than or equal to 1`,
    );
  return items.map((item) => (isRecord(item) ? item : {}));
}

function refuseRepeatedKeys(operations: readonly TransactionOperation[]): void {
  const keys = operations.map(({ table, key }) => `${table.TableName}~${database.createKey(key, table)}`);
  if (new Set(keys).size !== keys.length)
    throw validationError('Transaction request cannot include multiple operations on one item');
}

function refuseWhenAny(reasons: readonly CancellationReason[]): void {
  if (reasons.every(({ Code }) => Code === 'None')) return;
  const codes = reasons.map(({ Code }) => Code).join(', ');
  throw new DynamoDbError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    {
      Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
      CancellationReasons: reasons,
    },
  );
}

function isRecord(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
