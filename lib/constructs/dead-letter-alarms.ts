import { Annotations, Duration, Token } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { IRecoverableQueue } from './recoverable-queue-interface';
import { AlarmProfile } from './recoverable-queue-props';

export interface DeadLetterAlarmsProps {
  readonly queue: IRecoverableQueue;
  /** Who answers. */
  readonly owner: string;
  /** Where the person on call reads on. */
  readonly runbookUrl?: string;
  readonly profile: AlarmProfile;
  /** Where all alarms go, in both directions: raised and over. */
  readonly topic: ITopic;
  /** Where the critical ones go instead. Default: `topic`. */
  readonly criticalTopic?: ITopic;
  /** Messages in the dead-letter queue at which HIGH_VOLUME warns. Default 1,000. */
  readonly depthThreshold?: number;
  /** Arrivals a minute that are critical. Default 100 (CRITICAL_FLOW: 10). */
  readonly arrivalsPerMinute?: number;
  /** Age of the oldest message in the source queue, without a delete, at which it counts as stalled. Default 15 minutes. */
  readonly stallAge?: Duration;
}

const MINUTE = Duration.minutes(1);
/** Of the limits of 120,000 and 20,000. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html */
const IN_FLIGHT = { standard: 96_000, fifo: 16_000 };
/** People have this long to act before the oldest message expires. */
const EXPIRY_NOTICE_SECONDS = 2 * 24 * 3600;

interface AlarmSpec {
  readonly id: string;
  readonly severity: 'warning' | 'critical';
  readonly metric: cloudwatch.IMetric;
  readonly threshold: number;
  readonly minutes?: number;
  /** What is the matter, for whoever is woken. */
  readonly says: string;
  /** The next command. */
  readonly next: string;
}

/**
 * The alarms of a queue. Every description says what is the matter, who answers, where to read on, and the next command.
 * Depth is the visible gauge with statistic Maximum, and missing data is quiet (field rules F28 to F33).
 */
export class DeadLetterAlarms extends Construct {
  public readonly alarms: cloudwatch.Alarm[];

  constructor(scope: Construct, id: string, props: DeadLetterAlarmsProps) {
    super(scope, id);
    for (const topic of [props.topic, ...(props.criticalTopic === undefined ? [] : [props.criticalTopic])])
      this.checkTopic(topic);
    this.alarms = specsOf(props).map((spec) => this.alarm(spec, props));
  }

  private alarm(
    spec: AlarmSpec,
    { queue, owner, runbookUrl, topic, criticalTopic }: DeadLetterAlarmsProps,
  ): cloudwatch.Alarm {
    const alarm = new cloudwatch.Alarm(this, spec.id, {
      metric: spec.metric,
      threshold: spec.threshold,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: spec.minutes ?? 1,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      alarmDescription: [
        `${spec.severity.toUpperCase()} · ${queue.queueName}: ${spec.says}.`,
        `Owner: ${owner}.`,
        ...(runbookUrl === undefined ? [] : [`Runbook: ${runbookUrl}`]),
        `Next: ${spec.next}`,
      ].join(' '),
    });
    const action = new SnsAction(spec.severity === 'critical' ? (criticalTopic ?? topic) : topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    return alarm;
  }

  /** A topic under the key that AWS manages drops what CloudWatch publishes (field rule F34). */
  private checkTopic(topic: ITopic): void {
    const key =
      topic instanceof Topic
        ? (topic.node.defaultChild as { kmsMasterKeyId?: string }).kmsMasterKeyId
        : undefined;
    if (typeof key === 'string' && !Token.isUnresolved(key) && key.endsWith('alias/aws/sns'))
      Annotations.of(this).addError(
        'ALARM_TOPIC_KEY: CloudWatch may not use the key alias/aws/sns, so that alarms would reach nobody; use a key of your own that lets cloudwatch.amazonaws.com in',
      );
  }
}

function specsOf(props: DeadLetterAlarmsProps): AlarmSpec[] {
  const { queue, profile } = props;
  const name = queue.queueName;
  const groups = `npx redrive groups ${name}`;
  const dead = queue.deadLetterQueue;
  const source = queue.sourceQueue;
  const depth = dead.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: MINUTE });
  const critical = profile === AlarmProfile.CRITICAL_FLOW;
  const arrivals = props.arrivalsPerMinute ?? (critical ? 10 : 100);
  const age = (of: typeof dead) =>
    of.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: MINUTE });
  const run = (metricName: string) =>
    new cloudwatch.Metric({
      namespace: 'Redrive/Run',
      metricName,
      dimensionsMap: { queue: name },
      statistic: 'Sum',
      period: MINUTE,
    });
  const retention = queue.deadLetterRetentionPeriod.toSeconds() - queue.retentionPeriod.toSeconds();
  const stall = props.stallAge ?? Duration.minutes(15);
  return [
    critical
      ? {
          id: 'Presence',
          severity: 'critical',
          metric: depth,
          threshold: 1,
          says: 'a message is in the dead-letter queue',
          next: groups,
        }
      : {
          id: 'Depth',
          severity: 'warning',
          metric: depth,
          threshold: props.depthThreshold ?? 1_000,
          says: 'the dead-letter queue is deep',
          next: groups,
        },
    {
      id: 'Growth',
      severity: 'critical',
      metric: new cloudwatch.MathExpression({
        expression: 'DIFF(FILL(depth, REPEAT))',
        usingMetrics: { depth },
        period: MINUTE,
        label: 'arrivals a minute',
      }),
      threshold: arrivals,
      says: `${arrivals} messages or more arrive in the dead-letter queue in a minute`,
      next: groups,
    },
    {
      id: 'Expiry',
      severity: 'critical',
      metric: age(dead),
      threshold: Math.max(3_600, retention - EXPIRY_NOTICE_SECONDS),
      says: 'dead-lettered messages expire soon, unresolved',
      next: `npx redrive plan ${name}`,
    },
    {
      id: 'Stall',
      severity: 'critical',
      metric: new cloudwatch.MathExpression({
        expression: `IF(age >= ${stall.toSeconds()} AND FILL(deleted, 0) < 1, 1, 0)`,
        usingMetrics: {
          age: age(source),
          deleted: source.metricNumberOfMessagesDeleted({ statistic: 'Sum', period: MINUTE }),
        },
        period: MINUTE,
        label: 'stalled',
      }),
      threshold: 1,
      minutes: 5,
      says: `messages wait for ${stall.toMinutes()} minutes and none is done`,
      next: 'look at the consumer: throttles, errors, a disabled event source mapping',
    },
    {
      id: 'InFlight',
      severity: 'warning',
      metric: source.metricApproximateNumberOfMessagesNotVisible({ statistic: 'Maximum', period: MINUTE }),
      threshold: source.fifo ? IN_FLIGHT.fifo : IN_FLIGHT.standard,
      says: 'nearly as many messages in flight as SQS allows; then it gives out no more',
      next: 'shorten the visibility timeout, or add capacity',
    },
    {
      id: 'RunStopped',
      severity: 'warning',
      metric: new cloudwatch.MathExpression({
        expression: 'FILL(stopped, 0) + FILL(failed, 0)',
        usingMetrics: { stopped: run('RunsStopped'), failed: run('RunsFailed') },
        period: MINUTE,
        label: 'runs stopped or failed',
      }),
      threshold: 1,
      says: 'a redrive was stopped by a rule or failed',
      next: `npx redrive runs ${name}`,
    },
    {
      id: 'Unbalanced',
      severity: 'critical',
      metric: run('RunsUnbalanced'),
      threshold: 1,
      says: 'the account of a redrive does not balance',
      next: `npx redrive runs ${name}`,
    },
  ];
}
