/** An error in the shape that DynamoDB answers with. */
export class DynamoDbError extends Error {
  readonly statusCode: number;
  readonly body: Record<string, unknown>;

  constructor(code: string, message: string, more: Record<string, unknown> = {}, statusCode = 400) {
    super(message);
    this.statusCode = statusCode;
    this.body = { __type: `${namespaceOf(code)}#${code}`, message, ...more };
  }
}

function namespaceOf(code: string): string {
  if (code === 'ValidationException') return 'com.amazon.coral.validate';
  if (code === 'AccessDeniedException' || code === 'UnknownOperationException')
    return 'com.amazon.coral.service';
  return 'com.amazonaws.dynamodb.v20120810';
}

export function validationError(message: string): DynamoDbError {
  return new DynamoDbError('ValidationException', message);
}
