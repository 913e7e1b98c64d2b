import { finding, type Rule } from './rule';
import { listOf, numberOf, objectOf, type Resource, type TemplateModel, textOf } from './template-model';

const METRICS =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html';
const AGE = 'ApproximateAgeOfOldestMessage';
const FOUR_DAYS = 345_600;
/** Nobody works a dead-letter queue off faster. */
const NO_FRESHER_SECONDS = 3_600;

/** Metrics of SQS that an alarm reads, alone or in an expression. */
export function metricsOf(
  model: TemplateModel,
  alarm: Resource,
): { readonly metric: string; readonly queue: Resource | undefined }[] {
  const { properties } = alarm;
  const one = (namespace: unknown, metric: unknown, dimensions: unknown) => {
    const [dimension] = listOf<{ readonly Value?: unknown }>(dimensions);
    return namespace === 'AWS/SQS'
      ? [{ metric: textOf(metric) ?? '', queue: model.target(dimension?.Value) }]
      : [];
  };
  return [
    ...one(properties['Namespace'], properties['MetricName'], properties['Dimensions']),
    ...listOf(properties['Metrics']).flatMap((entry) => {
      const metric = objectOf(objectOf(objectOf(entry)?.['MetricStat'])?.['Metric']);
      return one(metric?.['Namespace'], metric?.['MetricName'], metric?.['Dimensions']);
    }),
  ];
}

/** Alarms on the age of a dead-letter queue, with the number at which they begin. */
function ageAlarms(
  model: TemplateModel,
): { readonly alarm: Resource; readonly dead: Resource; readonly threshold: number }[] {
  const dead = model.deadLetterQueues();
  return model.queueAlarms().flatMap(({ alarm, metric, queue }) => {
    const threshold = numberOf(alarm.properties['Threshold']);
    return metric === AGE && queue !== undefined && dead.includes(queue) && threshold !== undefined
      ? [{ alarm, dead: queue, threshold }]
      : [];
  });
}

/** Alarms that are always on, or come too late: field rules F30 and F33. */
export const ALARM_RULES: readonly Rule[] = [
  {
    id: 'ALARM_COUNTS_IN_FLIGHT',
    severity: 'warning',
    what: 'the depth of a dead-letter queue with what is in flight added',
    why: 'it flaps: in flight can read 1 for nothing, and each look at the queue moves messages there (F30)',
    source: METRICS,
    remedy: 'ApproximateNumberOfMessagesVisible alone',
    check: (model) =>
      model.ofType('AWS::CloudWatch::Alarm').flatMap((alarm) => {
        const dead = new Set(model.deadLetterQueues());
        const counted = metricsOf(model, alarm).filter(({ queue }) => queue !== undefined && dead.has(queue));
        return counted.some(({ metric }) => metric === 'ApproximateNumberOfMessagesNotVisible')
          ? [
              finding(
                alarm.logicalId,
                'Metrics',
                'ApproximateNumberOfMessagesNotVisible of a dead-letter queue',
              ),
            ]
          : [];
      }),
  },
  {
    id: 'AGE_ALARM_ALWAYS_ON',
    severity: 'warning',
    what: 'an alarm on the age of a dead-letter queue that is on whenever there is a message',
    why: 'nobody consumes a dead-letter queue, so that its age only grows (F33)',
    source: METRICS,
    remedy: 'depth for presence; age for expiry, with a threshold taken from the retention',
    check: (model) =>
      ageAlarms(model)
        .filter(({ threshold }) => threshold < NO_FRESHER_SECONDS)
        .map(({ alarm, threshold }) => finding(alarm.logicalId, 'Threshold', `${threshold} s`)),
  },
  {
    id: 'EXPIRY_ALARM_TOO_LATE',
    severity: 'error',
    what: 'the age alarm of a dead-letter queue comes after messages may have expired',
    why: 'the metric counts from the move, expiry of a standard message from its first send (F33, F37)',
    source: METRICS,
    remedy: 'a threshold below the retention of the dead-letter queue less that of its source',
    check: (model) => {
      const all = ageAlarms(model);
      return model.deadLetterQueues().flatMap((dead) => {
        const mine = all.filter((other) => other.dead === dead);
        const first = Math.min(...mine.map(({ threshold }) => threshold));
        const kept = numberOf(dead.properties['MessageRetentionPeriod'] ?? FOUR_DAYS);
        const used = Math.max(
          ...model
            .sourcesOf(dead)
            .map(({ properties }) => numberOf(properties['MessageRetentionPeriod'] ?? FOUR_DAYS) ?? 0),
        );
        const left = (kept ?? 0) - (dead.properties['FifoQueue'] === true ? 0 : used);
        return mine.length === 0 || kept === undefined || left <= 0 || first < left
          ? []
          : [finding(mine[0]?.alarm.logicalId ?? '', 'Threshold', `${first} s, and ${left} s may be left`)];
      });
    },
  },
];
