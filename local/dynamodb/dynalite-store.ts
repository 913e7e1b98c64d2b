/** Typed access to the parts of dynalite that the shim builds on; dynalite itself ships no types. */

export type AttributeValue = Readonly<Record<string, unknown>>;
export type Item = Readonly<Record<string, AttributeValue>>;
export type Parameters = Record<string, unknown>;

export interface DynaliteError extends Error {
  readonly statusCode: number;
  readonly body: Record<string, unknown>;
}

export interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface Table {
  readonly TableName: string;
  readonly TableArn: string;
  readonly TableStatus: string;
  readonly KeySchema: readonly KeyElement[];
}

type Callback<T> = (error: Error | null | undefined, value?: T) => void;

export interface ItemDatabase {
  get(key: string, callback: Callback<Item>): void;
  createValueStream(options: object): AsyncIterable<Item>;
}

export interface DynaliteStore {
  readonly tableDb: { awsAccountId: string; awsRegion: string };
  readonly db: { close(): Promise<void> };
  getTable(name: string, checkStatus: boolean, callback: Callback<Table>): void;
  getItemDb(name: string): ItemDatabase;
}

interface Validation {
  readonly types: object;
  readonly custom?: unknown;
}

type Action = (store: DynaliteStore, data: Parameters, callback: Callback<Parameters>) => void;

export interface DynaliteDatabase {
  create(options: object): DynaliteStore;
  createKey(item: Item, table: Table): string;
  validateKey(key: Item, table: Table): DynaliteError | null | undefined;
  checkConditional(data: Parameters, item: Item | undefined): DynaliteError | null | undefined;
}

const database: DynaliteDatabase = require('dynalite/db');
const validations = require('dynalite/validations') as {
  checkTypes(data: Parameters, types: object): Parameters;
  checkValidations(data: Parameters, types: object, custom: unknown, store: DynaliteStore): void;
};

export const DYNALITE_OPERATIONS = [
  'BatchGetItem',
  'BatchWriteItem',
  'CreateTable',
  'DeleteItem',
  'DeleteTable',
  'DescribeTable',
  'GetItem',
  'ListTables',
  'PutItem',
  'Query',
  'Scan',
  'TagResource',
  'UntagResource',
  'ListTagsOfResource',
  'UpdateItem',
  'UpdateTable',
] as const;

export type DynaliteOperation = (typeof DYNALITE_OPERATIONS)[number];

const actions = new Map<string, { readonly run: Action; readonly validation: Validation }>(
  DYNALITE_OPERATIONS.map((operation) => {
    const file = operation.charAt(0).toLowerCase() + operation.slice(1);
    return [
      operation,
      { run: require(`dynalite/actions/${file}`), validation: require(`dynalite/validations/${file}`) },
    ];
  }),
);

export { database };

/** Checks the parameters as dynalite does and answers them in the form that its actions take. */
export function validated(
  store: DynaliteStore,
  operation: DynaliteOperation,
  parameters: Parameters,
): Parameters {
  const validation = actionOf(operation).validation;
  const checked = validations.checkTypes({ ...parameters }, validation.types);
  validations.checkValidations(checked, validation.types, validation.custom, store);
  return checked;
}

/** Runs an action on parameters that `validated` has answered. */
export function perform(
  store: DynaliteStore,
  operation: DynaliteOperation,
  checked: Parameters,
): Promise<Parameters> {
  return new Promise((resolve, reject) => {
    actionOf(operation).run(store, checked, (error, result) =>
      error ? reject(error) : resolve(result ?? {}),
    );
  });
}

export function tableOf(store: DynaliteStore, name: string): Promise<Table> {
  return new Promise((resolve, reject) => {
    store.getTable(name, false, (error, table) => (table ? resolve(table) : reject(error)));
  });
}

export function storedItem(store: DynaliteStore, table: Table, key: Item): Promise<Item | undefined> {
  return new Promise((resolve, reject) => {
    store.getItemDb(table.TableName).get(database.createKey(key, table), (error, item) => {
      if (error && error.name !== 'NotFoundError') reject(error);
      else resolve(item);
    });
  });
}

/** A view of the store that remembers the items which an action reads before it decides. */
export function watched(store: DynaliteStore, seen: (item: Item | undefined) => void): DynaliteStore {
  return Object.create(store, {
    getItemDb: {
      value: (name: string): ItemDatabase => {
        const items = store.getItemDb(name);
        return Object.create(items, {
          get: {
            value: (key: string, callback: Callback<Item>): void =>
              items.get(key, (error, item) => {
                seen(item);
                callback(error, item);
              }),
          },
        });
      },
    },
  });
}

function actionOf(operation: DynaliteOperation): { readonly run: Action; readonly validation: Validation } {
  const action = actions.get(operation);
  if (action === undefined) throw new Error(`no such DynamoDB operation: ${operation}`);
  return action;
}
