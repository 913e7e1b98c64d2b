import { metricsOf } from './alarm-rules';
import { finding, type Rule } from './rule';
import { listOf, objectOf, referenceOf, textOf } from './template-model';

const METRICS =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html';
const KEYS =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html';
const TOPIC = 'https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html';

/** Alarms, keys and rights: field rules F28 to F36, F40 to F43. */
export const WATCHING_RULES: readonly Rule[] = [
  {
    id: 'DEAD_LETTER_WITHOUT_ALARM',
    severity: 'warning',
    what: 'nobody is told of messages in this dead-letter queue',
    why: 'they expire in silence (F28)',
    source: METRICS,
    remedy: 'an alarm on ApproximateNumberOfMessagesVisible',
    check: (model) =>
      model
        .deadLetterQueues()
        .filter(({ logicalId }) => !alarmedQueues(model).has(logicalId))
        .map(({ logicalId }) => finding(logicalId, 'Alarm', 'none')),
  },
  {
    id: 'ALARM_ON_SENT',
    severity: 'error',
    what: 'an alarm on messages sent to, or received from, a dead-letter queue',
    why: 'moves by a redrive policy do not count as sends: it never fires (F28)',
    source: METRICS,
    remedy: 'ApproximateNumberOfMessagesVisible',
    check: (model) =>
      model
        .queueAlarms()
        .filter(
          ({ metric, queue }) =>
            /NumberOfMessages(Sent|Received)$/.test(metric) &&
            !metric.startsWith('Approximate') &&
            queue !== undefined &&
            model.deadLetterQueues().includes(queue),
        )
        .map(({ alarm, metric }) => finding(alarm.logicalId, 'MetricName', metric)),
  },
  {
    id: 'ALARM_SUM_OF_GAUGE',
    severity: 'error',
    what: 'the sum of a gauge',
    why: 'three messages read as fifteen: the depth is added up once a minute (F29)',
    source: METRICS,
    remedy: 'statistic Maximum',
    check: (model) =>
      model
        .queueAlarms()
        .filter(({ metric, statistic }) => metric.startsWith('Approximate') && statistic === 'Sum')
        .map(({ alarm }) => finding(alarm.logicalId, 'Statistic', 'Sum')),
  },
  {
    id: 'ALARM_MISSING_DATA',
    severity: 'warning',
    what: 'a quiet queue breaks the alarm',
    why: 'idle queues stop reporting: the alarm sits in insufficient data, or fires for nothing (F31)',
    source: METRICS,
    remedy: 'TreatMissingData notBreaching',
    check: (model) =>
      model
        .queueAlarms()
        .filter(
          ({ alarm, metric }) =>
            metric.startsWith('Approximate') && alarm.properties['TreatMissingData'] !== 'notBreaching',
        )
        .map(({ alarm }) =>
          finding(
            alarm.logicalId,
            'TreatMissingData',
            textOf(alarm.properties['TreatMissingData']) ?? 'missing',
          ),
        ),
  },
  {
    id: 'ALARM_WITHOUT_ACTION',
    severity: 'warning',
    what: 'an alarm on a queue that tells nobody',
    why: 'it turns red and nobody hears (F32)',
    source: METRICS,
    remedy: 'AlarmActions with a topic',
    check: (model) =>
      model
        .queueAlarms()
        .filter(
          ({ alarm }) =>
            listOf(alarm.properties['AlarmActions']).length === 0 ||
            alarm.properties['ActionsEnabled'] === false,
        )
        .map(({ alarm }) => finding(alarm.logicalId, 'AlarmActions', 'none')),
  },
  {
    id: 'ALARM_WITHOUT_END',
    severity: 'warning',
    what: 'nobody is told when the alarm is over',
    why: 'a latched alarm says nothing of the second message to the ten thousandth (F32)',
    source: METRICS,
    remedy: 'OKActions with the same topic',
    check: (model) =>
      model
        .queueAlarms()
        .filter(
          ({ alarm }) =>
            listOf(alarm.properties['AlarmActions']).length > 0 &&
            listOf(alarm.properties['OKActions']).length === 0,
        )
        .map(({ alarm }) => finding(alarm.logicalId, 'OKActions', 'none')),
  },
  {
    id: 'ALARM_TOPIC_KEY',
    severity: 'error',
    what: 'an alarm topic under the key that AWS manages',
    why: 'CloudWatch may not use it: the alarm turns red and the notice is dropped (F34)',
    source: TOPIC,
    remedy: 'a key of your own that lets cloudwatch.amazonaws.com decrypt and make data keys',
    check: (model) => {
      const topics = model
        .ofType('AWS::CloudWatch::Alarm')
        .flatMap(({ properties }) =>
          listOf(properties['AlarmActions']).map((action) => model.target(action)),
        );
      return model
        .ofType('AWS::SNS::Topic')
        .filter(
          (topic) =>
            topics.includes(topic) &&
            /alias\/aws\/sns$/.test(textOf(topic.properties['KmsMasterKeyId']) ?? ''),
        )
        .map(({ logicalId }) => finding(logicalId, 'KmsMasterKeyId', 'alias/aws/sns'));
    },
  },
  {
    id: 'ALARM_KEY_SHUTS_CLOUDWATCH_OUT',
    severity: 'error',
    what: 'the key of an alarm topic does not let CloudWatch in',
    why: 'the alarm turns red and the notice is dropped (F34)',
    source: TOPIC,
    remedy: 'kms:Decrypt and kms:GenerateDataKey* for cloudwatch.amazonaws.com in the key policy',
    check: (model) => {
      const actions = model
        .ofType('AWS::CloudWatch::Alarm')
        .flatMap(({ properties }) => listOf(properties['AlarmActions']));
      const topics = actions.flatMap((action) => model.target(action) ?? []);
      const keys = new Set(
        topics.flatMap(({ properties }) => referenceOf(properties['KmsMasterKeyId']) ?? []),
      );
      return model
        .ofType('AWS::KMS::Key')
        .filter(
          ({ logicalId, properties }) =>
            keys.has(logicalId) &&
            !JSON.stringify(properties['KeyPolicy'] ?? {}).includes('cloudwatch.amazonaws.com'),
        )
        .map(({ logicalId }) => finding(logicalId, 'KeyPolicy', 'without cloudwatch.amazonaws.com'));
    },
  },
  {
    id: 'MANAGED_KEY_FED_BY_SERVICE',
    severity: 'error',
    what: 'a queue under the key that AWS manages, fed by a topic or rule',
    why: 'deliveries fail without a word (F40)',
    source: KEYS,
    remedy: 'SQS-managed encryption, or a key of your own with the service in its policy',
    check: (model) => {
      const fed = [
        ...model
          .ofType('AWS::SNS::Subscription')
          .map(({ properties }) => model.target(properties['Endpoint'])),
        ...model
          .ofType('AWS::Events::Rule')
          .flatMap(({ properties }) =>
            listOf<{ readonly Arn?: unknown }>(properties['Targets']).map(({ Arn }) => model.target(Arn)),
          ),
      ];
      return model
        .queues()
        .filter(
          (queue) =>
            fed.includes(queue) && /alias\/aws\/sqs$/.test(textOf(queue.properties['KmsMasterKeyId']) ?? ''),
        )
        .map(({ logicalId }) => finding(logicalId, 'KmsMasterKeyId', 'alias/aws/sqs, fed by a service'));
    },
  },
  {
    id: 'DEAD_LETTER_KEY_MISSING',
    severity: 'warning',
    what: 'the source is under a key of your own, its dead-letter queue is not',
    why: 'the same bodies lie there under other rules (F41)',
    source: KEYS,
    remedy: 'the same key on both',
    check: (model) =>
      model.queues().flatMap((source) => {
        const dead = model.deadLetterQueueOf(source);
        return dead !== undefined &&
          referenceOf(source.properties['KmsMasterKeyId']) !== undefined &&
          dead.properties['KmsMasterKeyId'] === undefined
          ? [finding(dead.logicalId, 'KmsMasterKeyId', `none, and ${source.logicalId} has one`)]
          : [];
      }),
  },
  {
    id: 'NOT_ENCRYPTED',
    severity: 'warning',
    what: 'encryption at rest is switched off',
    why: 'bodies of failed messages lie for 14 days (requirements of most companies)',
    source: KEYS,
    remedy: 'SqsManagedSseEnabled, or a key',
    check: (model) =>
      model
        .queues()
        .filter(
          ({ properties }) =>
            properties['SqsManagedSseEnabled'] === false && properties['KmsMasterKeyId'] === undefined,
        )
        .map(({ logicalId }) => finding(logicalId, 'SqsManagedSseEnabled', 'false')),
  },
  {
    id: 'PLAIN_HTTP_ALLOWED',
    severity: 'warning',
    what: 'the queue takes requests without TLS',
    why: 'bodies travel in the open',
    source:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-security-best-practices.html',
    remedy: 'a queue policy that denies aws:SecureTransport false',
    check: (model) => {
      const guarded = new Set(
        model
          .ofType('AWS::SQS::QueuePolicy')
          .filter(({ properties }) =>
            JSON.stringify(properties['PolicyDocument'] ?? {}).includes('aws:SecureTransport'),
          )
          .flatMap(({ properties }) =>
            listOf(properties['Queues']).map((queue) => model.target(queue)?.logicalId),
          ),
      );
      return model
        .queues()
        .filter(({ logicalId }) => !guarded.has(logicalId))
        .map(({ logicalId }) => finding(logicalId, 'QueuePolicy', 'without aws:SecureTransport'));
    },
  },
  {
    id: 'WILDCARD_RIGHTS',
    severity: 'warning',
    what: 'a role may do everything to queues, or something to every queue',
    why: 'a mistake in one consumer reaches all (F43)',
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege',
    remedy: 'named actions on named queues',
    check: (model) =>
      model.ofType('AWS::IAM::Policy').flatMap(({ logicalId, properties }) => {
        const statements = [
          (objectOf(properties['PolicyDocument'])?.['Statement'] ?? []) as unknown,
        ].flat() as { readonly Effect?: unknown; readonly Action?: unknown; readonly Resource?: unknown }[];
        const wide = statements.some(({ Effect, Action, Resource }) => {
          const actions = [Action]
            .flat()
            .map(String)
            .filter((action) => action.startsWith('sqs:'));
          return (
            Effect === 'Allow' &&
            actions.length > 0 &&
            (actions.includes('sqs:*') || [Resource].flat().includes('*'))
          );
        });
        return wide ? [finding(logicalId, 'PolicyDocument', 'sqs:* or every queue')] : [];
      }),
  },
];

function alarmedQueues(model: Parameters<Rule['check']>[0]): Set<string> {
  return new Set(
    model
      .ofType('AWS::CloudWatch::Alarm')
      .flatMap((alarm) => metricsOf(model, alarm).flatMap(({ queue }) => queue?.logicalId ?? [])),
  );
}
