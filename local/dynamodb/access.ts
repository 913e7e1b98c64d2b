import type { Parameters } from './dynalite-store';

export interface TableAccess {
  readonly action: string;
  readonly table: string;
  readonly index?: string;
}

const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/**
 * The IAM actions that a request needs. Transactions need those of their parts:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export function accessesOf(operation: string, parameters: Parameters): TableAccess[] {
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems') {
    const items = Array.isArray(parameters['TransactItems']) ? parameters['TransactItems'] : [];
    return items.flatMap((item: Record<string, Parameters>) =>
      Object.entries(item ?? {}).map(([kind, details]) => ({
        action: TRANSACTION_ACTIONS[kind] ?? kind,
        table: tableName(details?.['TableName']),
      })),
    );
  }
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem')
    return Object.keys((parameters['RequestItems'] as object | undefined) ?? {}).map((table) => ({
      action: operation,
      table: tableName(table),
    }));
  const index = parameters['IndexName'];
  return [
    {
      action: operation,
      table: tableName(parameters['TableName'] ?? parameters['ResourceArn'] ?? '*'),
      ...(typeof index === 'string' ? { index } : {}),
    },
  ];
}

/** Requests may name a table by its ARN. */
export function tableName(nameOrArn: unknown): string {
  const text = String(nameOrArn);
  return text.startsWith('arn:') ? (text.split(':table/')[1]?.split('/')[0] ?? text) : text;
}
