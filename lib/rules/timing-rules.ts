import { finding, type Rule } from './rule';
import { numberOf } from './template-model';

const GUIDE = 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html';
const ATTRIBUTES =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html';
const MAPPING = 'https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html';
const DEFAULT_VISIBILITY = 30;
const DEFAULT_TIMEOUT = 3;

/** Visibility, receives, batches and concurrency: field rules F01 to F13. */
export const TIMING_RULES: readonly Rule[] = [
  {
    id: 'VISIBILITY_BELOW_TIMEOUT',
    severity: 'error',
    what: 'the visibility timeout is below the timeout of the function',
    why: 'the mapping is refused at deploy, and an edited one repeats work (F01)',
    source: GUIDE,
    remedy: 'six times the timeout plus the batching window',
    check: (model) =>
      model.mappings().flatMap((mapping) => {
        const queue = model.queueOf(mapping);
        const visibility = numberOf(queue?.properties['VisibilityTimeout'] ?? DEFAULT_VISIBILITY);
        const timeout = numberOf(model.functionOf(mapping)?.properties['Timeout'] ?? DEFAULT_TIMEOUT);
        if (
          queue === undefined ||
          model.functionOf(mapping) === undefined ||
          visibility === undefined ||
          timeout === undefined ||
          visibility >= timeout
        )
          return [];
        return [
          finding(
            queue.logicalId,
            'VisibilityTimeout',
            `${visibility} s is below the function's ${timeout} s`,
          ),
        ];
      }),
  },
  {
    id: 'VISIBILITY_TOO_SHORT',
    severity: 'warning',
    what: 'the visibility timeout leaves no room for throttled and slow batches',
    why: 'messages are handed out again while they are still worked on: duplicates, cost, healthy messages in the dead-letter queue (F02)',
    source: GUIDE,
    remedy: 'six times the timeout plus the batching window',
    check: (model) =>
      model.mappings().flatMap((mapping) => {
        const queue = model.queueOf(mapping);
        const consumer = model.functionOf(mapping);
        const visibility = numberOf(queue?.properties['VisibilityTimeout'] ?? DEFAULT_VISIBILITY);
        const timeout = numberOf(consumer?.properties['Timeout'] ?? DEFAULT_TIMEOUT);
        const window = numberOf(mapping.properties['MaximumBatchingWindowInSeconds'] ?? 0);
        if (
          queue === undefined ||
          consumer === undefined ||
          visibility === undefined ||
          timeout === undefined ||
          window === undefined
        )
          return [];
        const least = 6 * timeout + window;
        if (visibility < timeout || visibility >= least) return [];
        return [
          finding(
            queue.logicalId,
            'VisibilityTimeout',
            `${visibility} s; ${least} s are needed: 6 x ${timeout} s + ${window} s`,
          ),
        ];
      }),
  },
  range(
    'VISIBILITY_RANGE',
    'AWS::SQS::Queue',
    'VisibilityTimeout',
    0,
    43_200,
    'twelve hours are the most (F10)',
  ),
  range('DELAY_RANGE', 'AWS::SQS::Queue', 'DelaySeconds', 0, 900, 'fifteen minutes are the most'),
  range(
    'POLL_RANGE',
    'AWS::SQS::Queue',
    'ReceiveMessageWaitTimeSeconds',
    0,
    20,
    'a poll waits 20 seconds at most',
  ),
  range(
    'RETENTION_RANGE',
    'AWS::SQS::Queue',
    'MessageRetentionPeriod',
    60,
    1_209_600,
    'from a minute to 14 days (F38)',
  ),
  range(
    'MESSAGE_SIZE_RANGE',
    'AWS::SQS::Queue',
    'MaximumMessageSize',
    1_024,
    1_048_576,
    'from 1 KiB to 1 MiB (F61)',
  ),
  {
    id: 'RECEIVE_COUNT_RANGE',
    severity: 'error',
    what: 'maxReceiveCount is not possible',
    why: 'it synthesizes and fails at deploy (F07)',
    source: ATTRIBUTES,
    remedy: '1 to 1,000',
    check: (model) =>
      model.queues().flatMap((queue) => {
        const count = model.redrivePolicyOf(queue)?.maxReceiveCount;
        return count === undefined || (Number.isInteger(count) && count >= 1 && count <= 1_000)
          ? []
          : [finding(queue.logicalId, 'RedrivePolicy.maxReceiveCount', `${count}; 1 to 1,000 are allowed`)];
      }),
  },
  {
    id: 'RECEIVE_COUNT_LOW',
    severity: 'warning',
    what: 'few receives before a message is dead-lettered',
    why: 'throttles and crashes use receives up without an attempt: messages are lost to the dead-letter queue without an invocation (F04)',
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-queueconfig',
    remedy: 'at least 5',
    check: (model) =>
      model.queues().flatMap((queue) => {
        const count = model.redrivePolicyOf(queue)?.maxReceiveCount;
        return count === undefined || count >= 3 || count < 1
          ? []
          : [finding(queue.logicalId, 'RedrivePolicy.maxReceiveCount', `${count}; use 5 or more`)];
      }),
  },
  {
    id: 'RETRY_HORIZON_LONG',
    severity: 'warning',
    what: 'hours pass before a failing message reaches the dead-letter queue',
    why: 'failures hide, and only the age metric climbs (F08)',
    source: ATTRIBUTES,
    remedy: 'fewer receives or a shorter visibility timeout',
    check: (model) =>
      model.queues().flatMap((queue) => {
        const count = model.redrivePolicyOf(queue)?.maxReceiveCount;
        const visibility = numberOf(queue.properties['VisibilityTimeout'] ?? DEFAULT_VISIBILITY);
        if (count === undefined || visibility === undefined || count * visibility <= 6 * 3600) return [];
        const minutes = Math.round((count * visibility) / 60);
        return [
          finding(
            queue.logicalId,
            'RedrivePolicy.maxReceiveCount',
            `${count} x ${visibility} s are ${Math.floor(minutes / 60)} h ${minutes % 60} min`,
          ),
        ];
      }),
  },
  {
    id: 'BATCH_NEEDS_WINDOW',
    severity: 'error',
    what: 'a batch above 10 without a batching window',
    why: 'refused at deploy (F12)',
    source: MAPPING,
    remedy: 'MaximumBatchingWindowInSeconds of at least 1',
    check: (model) =>
      model.mappings().flatMap(({ logicalId, properties }) => {
        const size = numberOf(properties['BatchSize'] ?? 10);
        const window = numberOf(properties['MaximumBatchingWindowInSeconds'] ?? 0);
        return size === undefined || window === undefined || size <= 10 || window >= 1
          ? []
          : [finding(logicalId, 'BatchSize', `${size} with a window of ${window} s`)];
      }),
  },
  {
    id: 'FIFO_BATCH',
    severity: 'error',
    what: 'a FIFO mapping with a batch above 10 or a batching window',
    why: 'refused at deploy (F12)',
    source: MAPPING,
    remedy: 'a batch of 1 to 10 and no window',
    check: (model) =>
      model.mappings().flatMap((mapping) => {
        if (model.queueOf(mapping)?.properties['FifoQueue'] !== true) return [];
        const size = numberOf(mapping.properties['BatchSize'] ?? 10) ?? 10;
        const window = numberOf(mapping.properties['MaximumBatchingWindowInSeconds'] ?? 0) ?? 0;
        return size > 10 || window > 0
          ? [finding(mapping.logicalId, 'BatchSize', `batch ${size}, window ${window} s on a FIFO queue`)]
          : [];
      }),
  },
  range(
    'BATCH_RANGE',
    'AWS::Lambda::EventSourceMapping',
    'BatchSize',
    1,
    10_000,
    'ten thousand messages are the most (F12)',
    MAPPING,
  ),
  range(
    'KEY_REUSE_RANGE',
    'AWS::SQS::Queue',
    'KmsDataKeyReusePeriodSeconds',
    60,
    86_400,
    'from a minute to a day',
  ),
  range(
    'WINDOW_RANGE',
    'AWS::Lambda::EventSourceMapping',
    'MaximumBatchingWindowInSeconds',
    0,
    300,
    'five minutes are the most',
    MAPPING,
  ),
];

function range(
  id: string,
  type: string,
  property: string,
  low: number,
  high: number,
  why: string,
  source = ATTRIBUTES,
): Rule {
  return {
    id,
    severity: 'error',
    what: `${property} is not possible`,
    why,
    source,
    remedy: `${low} to ${high}`,
    check: (model) =>
      model.ofType(type).flatMap(({ logicalId, properties }) => {
        const value = numberOf(properties[property]);
        return value === undefined || (value >= low && value <= high)
          ? []
          : [finding(logicalId, property, `${value}; ${low} to ${high} are allowed`)];
      }),
  };
}
