/** Error codes that the JSON protocol models by their own name; all others are Coral's general ones. */
const QUERY_CODES: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  QueueNameExists: 'QueueAlreadyExists',
  QueueDeletedRecently: 'AWS.SimpleQueueService.QueueDeletedRecently',
  PurgeQueueInProgress: 'AWS.SimpleQueueService.PurgeQueueInProgress',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
  UnsupportedOperation: 'AWS.SimpleQueueService.UnsupportedOperation',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  BatchRequestTooLong: 'AWS.SimpleQueueService.BatchRequestTooLong',
  InvalidBatchEntryId: 'AWS.SimpleQueueService.InvalidBatchEntryId',
  InvalidMessageContents: 'InvalidMessageContents',
  ReceiptHandleIsInvalid: 'ReceiptHandleIsInvalid',
  InvalidAttributeName: 'InvalidAttributeName',
  InvalidAttributeValue: 'InvalidAttributeValue',
  OverLimit: 'OverLimit',
  ResourceNotFoundException: 'ResourceNotFoundException',
};

/** An answer that SQS gives to a wrong request. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html */
export class SqsError extends Error {
  override readonly name = 'SqsError';

  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }

  /** `__type` of the JSON body. */
  get type(): string {
    if (this.code in QUERY_CODES) return `com.amazonaws.sqs#${this.code}`;
    return `com.amazon.coral.service#${this.code.endsWith('Exception') ? this.code : `${this.code}Exception`}`;
  }

  /** What clients that know the older protocol read, from the header `x-amzn-query-error`. */
  get queryCode(): string {
    return QUERY_CODES[this.code] ?? this.code;
  }
}

export function invalidValue(message: string): SqsError {
  return new SqsError('InvalidParameterValue', message);
}

export function missingParameter(name: string): SqsError {
  return new SqsError('MissingParameter', `The request must contain the parameter ${name}.`);
}

export function noSuchQueue(): SqsError {
  return new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
}
