import { invalidValue, SqsError } from './sqs-error';

export interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number;
}

export interface RedriveAllowPolicy {
  readonly redrivePermission: 'allowAll' | 'denyAll' | 'byQueue';
  readonly sourceQueueArns?: readonly string[];
}

/** Values as SQS keeps them: text by attribute name. */
export type QueueAttributes = Readonly<Record<string, string>>;

/** Range and default of each number, in the unit of the attribute. */
const NUMBERS: Readonly<Record<string, readonly [minimum: number, maximum: number, standard: number]>> = {
  DelaySeconds: [0, 900, 0],
  MaximumMessageSize: [1_024, 1_048_576, 1_048_576],
  MessageRetentionPeriod: [60, 1_209_600, 345_600],
  ReceiveMessageWaitTimeSeconds: [0, 20, 0],
  VisibilityTimeout: [0, 43_200, 30],
  KmsDataKeyReusePeriodSeconds: [60, 86_400, 300],
};

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  FifoQueue: ['true', 'false'],
  ContentBasedDeduplication: ['true', 'false'],
  SqsManagedSseEnabled: ['true', 'false'],
  DeduplicationScope: ['queue', 'messageGroup'],
  FifoThroughputLimit: ['perQueue', 'perMessageGroupId'],
};

const FREE = ['KmsMasterKeyId', 'Policy'];
const FIFO_ONLY = ['ContentBasedDeduplication', 'DeduplicationScope', 'FifoThroughputLimit'];

/**
 * Checks attributes as CreateQueue and SetQueueAttributes take them. An empty value takes the attribute away.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
export function checkedAttributes(given: unknown, fifo: boolean): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries((given ?? {}) as Record<string, unknown>)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    checked[name] = text;
    if (!fifo && FIFO_ONLY.includes(name) && text !== 'false')
      throw new SqsError(
        'InvalidAttributeName',
        `You can specify the ${name} only when FifoQueue is set to true.`,
      );
    if (name in NUMBERS) checkNumber(name, text);
    else if (name in CHOICES) checkChoice(name, text);
    else if (name === 'RedrivePolicy') redrivePolicyOf(text);
    else if (name === 'RedriveAllowPolicy') redriveAllowPolicyOf(text);
    else if (!FREE.includes(name)) throw new SqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
  }
  return checked;
}

/** In the attribute's unit; the default where the attribute is not set. */
export function numberOf(attributes: QueueAttributes, name: string): number {
  return Number(attributes[name] ?? NUMBERS[name]?.[2]);
}

export function defaultAttributes(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(NUMBERS)
      .filter(([name]) => name !== 'KmsDataKeyReusePeriodSeconds')
      .map(([name, [, , standard]]) => [name, String(standard)]),
  );
}

export function redrivePolicyOf(text: string | undefined): RedrivePolicy | undefined {
  if (!text) return undefined;
  const policy = parsed('RedrivePolicy', text);
  const { deadLetterTargetArn, maxReceiveCount } = policy;
  if (typeof deadLetterTargetArn !== 'string' || !/^arn:[^:]+:sqs:/.test(deadLetterTargetArn))
    throw rejected('RedrivePolicy', text, 'Redrive policy does not contain a valid deadLetterTargetArn.');
  const count = Number(maxReceiveCount);
  if (!Number.isInteger(count) || count < 1 || count > 1_000)
    throw rejected(
      'RedrivePolicy',
      text,
      `Invalid value for maxReceiveCount: ${String(maxReceiveCount)}, valid values are from 1 to 1000 both inclusive.`,
    );
  return { deadLetterTargetArn, maxReceiveCount: count };
}

export function redriveAllowPolicyOf(text: string | undefined): RedriveAllowPolicy | undefined {
  if (!text) return undefined;
  const { redrivePermission, sourceQueueArns } = parsed('RedriveAllowPolicy', text);
  if (!['allowAll', 'denyAll', 'byQueue'].includes(String(redrivePermission)))
    throw rejected('RedriveAllowPolicy', text, 'Invalid value for redrivePermission.');
  const byQueue = redrivePermission === 'byQueue';
  if (byQueue !== (sourceQueueArns !== undefined))
    throw rejected(
      'RedriveAllowPolicy',
      text,
      'sourceQueueArns goes with the permission byQueue and no other.',
    );
  if (
    byQueue &&
    (!Array.isArray(sourceQueueArns) || sourceQueueArns.length < 1 || sourceQueueArns.length > 10)
  )
    throw rejected('RedriveAllowPolicy', text, 'sourceQueueArns must have 1 to 10 queues.');
  return { redrivePermission, ...(byQueue ? { sourceQueueArns } : {}) } as RedriveAllowPolicy;
}

function checkNumber(name: string, text: string): void {
  const [minimum, maximum] = NUMBERS[name] as readonly [number, number, number];
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < minimum || value > maximum)
    throw new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
}

function checkChoice(name: string, text: string): void {
  if (!(CHOICES[name] as readonly string[]).includes(text.toLowerCase()) && !CHOICES[name]?.includes(text))
    throw new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
}

function parsed(name: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // answered below, as for any other value that is not an object
  }
  throw rejected(name, text, `${name} is not valid JSON.`);
}

function rejected(name: string, value: string, reason: string): SqsError {
  return invalidValue(`Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);
}
