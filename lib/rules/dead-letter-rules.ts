import { finding, type Rule } from './rule';
import { isTrue, numberOf, objectOf, type Resource, type TemplateModel, textOf } from './template-model';

const DLQ =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html';
const FOUR_DAYS = 345_600;

/** The rules that look at each queue with its dead-letter queue. */
function pairs(model: TemplateModel): { readonly source: Resource; readonly dead: Resource }[] {
  return model.queues().flatMap((source) => {
    const dead = model.deadLetterQueueOf(source);
    return dead === undefined ? [] : [{ source, dead }];
  });
}

/** Dead-letter queues, retention, partial batch responses, filters: field rules F14 to F18, F35 to F38, F44 to F48. */
export const DEAD_LETTER_RULES: readonly Rule[] = [
  {
    id: 'NO_DEAD_LETTER_QUEUE',
    severity: 'warning',
    what: 'a queue with a consumer and without a dead-letter queue',
    why: 'a poison message is retried until its retention ends, and is dropped then, unannounced (F36)',
    source: DLQ,
    remedy: 'a RedrivePolicy, or a RecoverableQueue',
    check: (model) =>
      unique(model.mappings().flatMap((mapping) => model.queueOf(mapping) ?? []))
        .filter(
          (queue) =>
            queue.properties['RedrivePolicy'] === undefined && !model.deadLetterQueues().includes(queue),
        )
        .map(({ logicalId }) => finding(logicalId, 'RedrivePolicy', 'none')),
  },
  retention(
    'DEAD_LETTER_RETENTION',
    'error',
    'the dead-letter queue keeps messages for a shorter time than its source',
    (dead, source) => dead < source,
  ),
  retention(
    'DEAD_LETTER_RETENTION_EQUAL',
    'warning',
    'the dead-letter queue keeps messages no longer than its source',
    (dead, source) => dead === source,
  ),
  {
    id: 'QUEUE_TYPES_DIFFER',
    severity: 'error',
    what: 'a FIFO queue with a standard dead-letter queue, or the other way round',
    why: 'refused at deploy (F46)',
    source: DLQ,
    remedy: 'the same type for both',
    check: (model) =>
      pairs(model)
        .filter(
          ({ source, dead }) =>
            isTrue(source.properties['FifoQueue']) !== isTrue(dead.properties['FifoQueue']),
        )
        .map(({ source, dead }) =>
          finding(dead.logicalId, 'FifoQueue', `${source.logicalId} is of the other type`),
        ),
  },
  {
    id: 'MESSAGE_SIZES_DIFFER',
    severity: 'warning',
    what: 'source and dead-letter queue take messages of different size',
    why: 'a large message that fails may not fit (F61)',
    source: DLQ,
    remedy: 'the same MaximumMessageSize on both',
    check: (model) =>
      pairs(model)
        .filter(
          ({ source, dead }) =>
            (numberOf(dead.properties['MaximumMessageSize']) ?? 1_048_576) <
            (numberOf(source.properties['MaximumMessageSize']) ?? 1_048_576),
        )
        .map(({ source, dead }) =>
          finding(dead.logicalId, 'MaximumMessageSize', `smaller than that of ${source.logicalId}`),
        ),
  },
  {
    id: 'DEAD_LETTER_ITSELF',
    severity: 'error',
    what: 'a queue is its own dead-letter queue',
    why: 'refused at deploy',
    source: DLQ,
    remedy: 'a queue of its own',
    check: (model) =>
      pairs(model)
        .filter(({ source, dead }) => source.logicalId === dead.logicalId)
        .map(({ source }) => finding(source.logicalId, 'RedrivePolicy.deadLetterTargetArn', 'itself')),
  },
  {
    id: 'DEAD_LETTER_CHAIN',
    severity: 'warning',
    what: 'the dead-letter queue has a redrive policy of its own',
    why: 'looking at it moves its messages on (F09)',
    source: DLQ,
    remedy: 'none on a dead-letter queue',
    check: (model) =>
      model
        .deadLetterQueues()
        .filter(({ properties }) => properties['RedrivePolicy'] !== undefined)
        .map(({ logicalId }) => finding(logicalId, 'RedrivePolicy', 'on a dead-letter queue')),
  },
  {
    id: 'DEAD_LETTER_DELAY',
    severity: 'warning',
    what: 'the dead-letter queue delays messages',
    why: 'they are not seen by alarms and operators meanwhile',
    source: DLQ,
    remedy: 'DelaySeconds 0',
    check: (model) =>
      model
        .deadLetterQueues()
        .filter(({ properties }) => (numberOf(properties['DelaySeconds']) ?? 0) > 0)
        .map(({ logicalId, properties }) =>
          finding(logicalId, 'DelaySeconds', String(properties['DelaySeconds'])),
        ),
  },
  {
    id: 'ALLOW_POLICY_SHUTS_SOURCE_OUT',
    severity: 'error',
    what: 'the redrive-allow policy shuts a source out',
    why: 'the redrive policy is refused (F44)',
    source: DLQ,
    remedy: 'byQueue with every source, up to ten',
    check: (model) =>
      model.deadLetterQueues().flatMap((dead) => {
        const policy = objectOf(dead.properties['RedriveAllowPolicy']);
        const allowed = policy?.['sourceQueueArns'];
        if (policy?.['redrivePermission'] === 'denyAll')
          return [finding(dead.logicalId, 'RedriveAllowPolicy', 'denyAll, with a source in this template')];
        if (!Array.isArray(allowed)) return [];
        return model
          .sourcesOf(dead)
          .filter(({ logicalId }) =>
            allowed.every(
              (arn) => model.target(arn) !== undefined && model.target(arn)?.logicalId !== logicalId,
            ),
          )
          .map(({ logicalId }) => finding(dead.logicalId, 'RedriveAllowPolicy', `without ${logicalId}`));
      }),
  },
  {
    id: 'ALLOW_POLICY_TOO_LONG',
    severity: 'error',
    what: 'a redrive-allow policy with more than ten sources',
    why: 'refused at deploy (F44)',
    source: DLQ,
    remedy: 'ten at most, or allowAll',
    check: (model) =>
      model.queues().flatMap(({ logicalId, properties }) => {
        const sources = objectOf(properties['RedriveAllowPolicy'])?.['sourceQueueArns'];
        return Array.isArray(sources) && sources.length > 10
          ? [finding(logicalId, 'RedriveAllowPolicy', `${sources.length} sources`)]
          : [];
      }),
  },
  {
    id: 'ALLOW_POLICY_OPEN',
    severity: 'warning',
    what: 'any queue of the account may dead-letter into this one',
    why: 'foreign failures land in it and nobody answers for them',
    source: DLQ,
    remedy: 'redrivePermission byQueue',
    check: (model) =>
      model
        .deadLetterQueues()
        .filter(({ properties }) => properties['RedriveAllowPolicy'] === undefined)
        .map(({ logicalId }) => finding(logicalId, 'RedriveAllowPolicy', 'none')),
  },
  {
    id: 'FIFO_NAME',
    severity: 'error',
    what: 'the name of the queue does not fit its type',
    why: 'refused at deploy (F46)',
    source:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/fifo-queue-message-identifiers.html',
    remedy: '.fifo at the end on FIFO queues, and on no other',
    check: (model) =>
      model.queues().flatMap(({ logicalId, properties }) => {
        const name = textOf(properties['QueueName']);
        return name === undefined || name.endsWith('.fifo') === isTrue(properties['FifoQueue'])
          ? []
          : [finding(logicalId, 'QueueName', name)];
      }),
  },
  {
    id: 'DEDUPLICATION_NEEDS_FIFO',
    severity: 'error',
    what: 'content-based deduplication on a standard queue',
    why: 'refused at deploy (F46)',
    source:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html',
    remedy: 'FifoQueue, or without it',
    check: (model) =>
      model
        .queues()
        .filter(
          ({ properties }) =>
            isTrue(properties['ContentBasedDeduplication']) && !isTrue(properties['FifoQueue']),
        )
        .map(({ logicalId }) => finding(logicalId, 'ContentBasedDeduplication', 'on a standard queue')),
  },
  {
    id: 'NOT_RETAINED',
    severity: 'warning',
    what: 'a dead-letter queue goes with the stack, or with a new logical id',
    why: 'its messages go with it (F47)',
    source:
      'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html',
    remedy: 'DeletionPolicy and UpdateReplacePolicy Retain',
    check: (model) =>
      model
        .deadLetterQueues()
        .filter(
          ({ deletionPolicy, updateReplacePolicy }) =>
            deletionPolicy !== 'Retain' || updateReplacePolicy !== 'Retain',
        )
        .map(({ logicalId }) => finding(logicalId, 'DeletionPolicy', 'not Retain')),
  },
];

function retention(
  id: string,
  severity: Rule['severity'],
  what: string,
  breaks: (deadSeconds: number, sourceSeconds: number) => boolean,
): Rule {
  return {
    id,
    severity,
    what,
    why: 'the clock of a standard message runs from its first send: it vanishes before anybody looks (F37, F38)',
    source: DLQ,
    remedy: '14 days for the dead-letter queue, a few for the source',
    check: (model) =>
      pairs(model).flatMap(({ source, dead }) => {
        // In a FIFO queue the clock begins again with the move.
        if (isTrue(dead.properties['FifoQueue'])) return [];
        const short = numberOf(source.properties['MessageRetentionPeriod'] ?? FOUR_DAYS);
        const long = numberOf(dead.properties['MessageRetentionPeriod'] ?? FOUR_DAYS);
        return short === undefined || long === undefined || !breaks(long, short)
          ? []
          : [
              finding(
                dead.logicalId,
                'MessageRetentionPeriod',
                `${long} s, and its source ${source.logicalId} has ${short} s`,
              ),
            ];
      }),
  };
}

function unique(resources: readonly Resource[]): Resource[] {
  return [...new Map(resources.map((resource) => [resource.logicalId, resource])).values()];
}
