import type { Clock } from '../clock/clock';
import { tableName } from './access';
import type { DynaliteOperation, DynaliteStore, Item, Parameters } from './dynalite-store';
import { DYNALITE_OPERATIONS, perform, tableOf, validated, watched } from './dynalite-store';
import { DynamoDbError, validationError } from './dynamodb-error';
import { IsolationGate } from './isolation-gate';
import type { TableSettingsStore } from './table-settings';
import { Transactions } from './transactions';

const CONDITIONAL = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);
const KNOWN = new Set<string>(DYNALITE_OPERATIONS);

/** Every DynamoDB operation by name, in process: parameters in, result out, errors in AWS's shape thrown. */
export class DynamoDbRequests {
  private readonly gate = new IsolationGate();
  private readonly transactions: Transactions;

  constructor(
    private readonly store: DynaliteStore,
    private readonly settings: TableSettingsStore,
    clock: Clock,
  ) {
    this.transactions = new Transactions(store, clock);
  }

  run(operation: string, given: Parameters): Promise<Parameters> {
    const parameters = withTableNames(given);
    switch (operation) {
      case 'TransactWriteItems':
        return this.gate.transaction(() => this.transactions.write(parameters));
      case 'TransactGetItems':
        return this.gate.transaction(() => this.transactions.get(parameters));
      case 'UpdateTimeToLive':
        return this.updateTimeToLive(parameters);
      case 'DescribeTimeToLive':
        return this.describeTimeToLive(parameters);
      case 'UpdateContinuousBackups':
        return this.updateContinuousBackups(parameters);
      case 'DescribeContinuousBackups':
        return this.describeContinuousBackups(parameters);
      case 'DeleteTable':
        return this.deleteTable(parameters);
    }
    if (!KNOWN.has(operation))
      throw new DynamoDbError('UnknownOperationException', `not emulated: DynamoDB ${operation}`);
    return this.gate.operation(() => this.single(operation as DynaliteOperation, parameters));
  }

  private async single(operation: DynaliteOperation, parameters: Parameters): Promise<Parameters> {
    const checked = validated(this.store, operation, parameters);
    if (!CONDITIONAL.has(operation) || parameters['ReturnValuesOnConditionCheckFailure'] !== 'ALL_OLD')
      return perform(this.store, operation, checked);
    let before: Item | undefined;
    const store = watched(this.store, (item) => {
      before = item;
    });
    try {
      return await perform(store, operation, checked);
    } catch (error) {
      if (before !== undefined && isConditionalCheckFailure(error)) error.body['Item'] = before;
      throw error;
    }
  }

  private async deleteTable(parameters: Parameters): Promise<Parameters> {
    const table = String(parameters['TableName']);
    if (this.settings.of(table).deletionProtection)
      throw validationError(
        `Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.`,
      );
    const result = await this.gate.operation(() => this.single('DeleteTable', parameters));
    this.settings.forget(table);
    return result;
  }

  private async updateTimeToLive(parameters: Parameters): Promise<Parameters> {
    const { TableName: table } = await tableOf(this.store, String(parameters['TableName']));
    const specification = parameters['TimeToLiveSpecification'] as
      | { readonly AttributeName?: string; readonly Enabled?: boolean }
      | undefined;
    const attribute = specification?.AttributeName;
    if (attribute === undefined || attribute === '' || specification?.Enabled === undefined)
      throw validationError('TimeToLiveSpecification needs AttributeName and Enabled');
    const current = this.settings.of(table).ttlAttribute;
    if (specification.Enabled) {
      if (current !== undefined) throw validationError('TimeToLive is already enabled');
      this.settings.set(table, { ttlAttribute: attribute });
    } else {
      if (current === undefined) throw validationError('TimeToLive is already disabled');
      if (current !== attribute)
        throw validationError(
          `TimeToLive is active on a different AttributeName: current AttributeName is ${current}`,
        );
      this.settings.withoutTtl(table);
    }
    return { TimeToLiveSpecification: specification };
  }

  private async describeTimeToLive(parameters: Parameters): Promise<Parameters> {
    const { TableName: table } = await tableOf(this.store, String(parameters['TableName']));
    const attribute = this.settings.of(table).ttlAttribute;
    return {
      TimeToLiveDescription:
        attribute === undefined
          ? { TimeToLiveStatus: 'DISABLED' }
          : { TimeToLiveStatus: 'ENABLED', AttributeName: attribute },
    };
  }

  private async updateContinuousBackups(parameters: Parameters): Promise<Parameters> {
    const { TableName: table } = await tableOf(this.store, String(parameters['TableName']));
    const specification = parameters['PointInTimeRecoverySpecification'] as
      | { readonly PointInTimeRecoveryEnabled?: boolean }
      | undefined;
    this.settings.set(table, { pointInTimeRecovery: specification?.PointInTimeRecoveryEnabled === true });
    return this.describeContinuousBackups(parameters);
  }

  private async describeContinuousBackups(parameters: Parameters): Promise<Parameters> {
    const { TableName: table } = await tableOf(this.store, String(parameters['TableName']));
    return {
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription: {
          PointInTimeRecoveryStatus: this.settings.of(table).pointInTimeRecovery ? 'ENABLED' : 'DISABLED',
        },
      },
    };
  }
}

export function isConditionalCheckFailure(error: unknown): error is DynamoDbError {
  const body = (error as Partial<DynamoDbError> | undefined)?.body;
  return String(body?.['__type']).endsWith('#ConditionalCheckFailedException');
}

function withTableNames(parameters: Parameters): Parameters {
  const named =
    typeof parameters['TableName'] === 'string'
      ? { ...parameters, TableName: tableName(parameters['TableName']) }
      : parameters;
  const requests = named['RequestItems'];
  if (
    typeof requests === 'object' &&
    requests !== null &&
    Object.keys(requests).some((key) => key.startsWith('arn:'))
  )
    return {
      ...named,
      RequestItems: Object.fromEntries(
        Object.entries(requests).map(([key, value]) => [tableName(key), value]),
      ),
    };
  if (Array.isArray(named['TransactItems']))
    return {
      ...named,
      TransactItems: named['TransactItems'].map((item: Record<string, Parameters | null>) =>
        Object.fromEntries(
          Object.entries(item ?? {}).map(([kind, details]) => [
            kind,
            details === null || typeof details !== 'object'
              ? details
              : { ...details, TableName: tableName(details['TableName']) },
          ]),
        ),
      ),
    };
  return named;
}
