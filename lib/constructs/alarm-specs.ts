import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { AlarmKind, AlarmProfile, type AlarmThresholds } from './alarm-options';
import { type AlarmSpec, FIVE_MINUTES, MINUTE } from './alarm-spec';
import { arrivals, consumerMetric, depth, done, oldestAge, runMetric } from './dead-letter-metrics';

/** 80 % of 120,000 and 20,000. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html */
const IN_FLIGHT = { standard: 96_000, fifo: 16_000 };

export interface DeadLetterSubject {
  readonly deadLetterQueue: IQueue;
  readonly deadLetterRetention: Duration;
  /** The longest of its sources: so old a message may be when it arrives. */
  readonly sourceRetention: Duration;
  /** What an operator types first. */
  readonly groups: string;
  readonly plan: string;
}

/** A dead-letter queue by itself, whoever feeds it. */
export function deadLetterSpecs(
  { deadLetterQueue, deadLetterRetention, sourceRetention, groups, plan }: DeadLetterSubject,
  profile: AlarmProfile,
  thresholds: AlarmThresholds,
): AlarmSpec[] {
  const { depthThreshold = 1_000, oldestAge: oldest = Duration.hours(24) } = thresholds;
  const perMinute = thresholds.arrivalsPerMinute ?? (profile === AlarmProfile.CRITICAL_FLOW ? 10 : 100);
  const notice = thresholds.expiryNotice ?? Duration.days(2);
  // The metric counts from the move, expiry of a standard message from its first send.
  const used = deadLetterQueue.fifo ? 0 : sourceRetention.toSeconds();
  const expiry = Math.max(3_600, deadLetterRetention.toSeconds() - used - notice.toSeconds());
  return [
    {
      kind: AlarmKind.PRESENCE,
      severity: 'critical',
      metric: depth(deadLetterQueue, MINUTE),
      threshold: 1,
      says: 'a message is in the dead-letter queue',
      next: groups,
    },
    {
      kind: AlarmKind.DEPTH,
      severity: 'warning',
      metric: depth(deadLetterQueue, MINUTE),
      threshold: depthThreshold,
      says: `${depthThreshold} messages or more are in the dead-letter queue`,
      next: groups,
    },
    {
      kind: AlarmKind.GROWTH,
      severity: 'critical',
      metric: arrivals(deadLetterQueue, MINUTE),
      threshold: perMinute,
      says: `${perMinute} messages or more arrive in the dead-letter queue in a minute`,
      next: groups,
    },
    {
      kind: AlarmKind.OLDEST,
      severity: 'warning',
      metric: oldestAge(deadLetterQueue, MINUTE),
      threshold: oldest.toSeconds(),
      says: `the oldest dead letter has waited for ${oldest.toHours({ integral: false })} hours`,
      next: groups,
    },
    {
      kind: AlarmKind.EXPIRY,
      severity: 'critical',
      metric: oldestAge(deadLetterQueue, MINUTE),
      threshold: expiry,
      says: `dead letters expire in about ${Math.round(notice.toHours({ integral: false }))} hours, unresolved`,
      next: plan,
    },
  ];
}

/** A source queue on its way to its dead-letter queue. */
export function sourceSpecs(
  { sourceQueue, deadLetterQueue }: { readonly sourceQueue: IQueue; readonly deadLetterQueue: IQueue },
  groups: string,
  thresholds: AlarmThresholds,
): AlarmSpec[] {
  const stall = thresholds.stallAge ?? Duration.minutes(15);
  const backlog = thresholds.backlogTime ?? Duration.hours(1);
  const share = thresholds.failureSharePercent ?? 5;
  const least = thresholds.failureShareMinimum ?? 20;
  return [
    {
      kind: AlarmKind.FAILURE_SHARE,
      severity: 'critical',
      metric: new cloudwatch.MathExpression({
        expression: `IF(dead > 0 AND dead + FILL(done, 0) >= ${least}, 100 * dead / (dead + FILL(done, 0)), 0)`,
        usingMetrics: {
          dead: arrivals(deadLetterQueue, FIVE_MINUTES),
          done: done(sourceQueue, FIVE_MINUTES),
        },
        period: FIVE_MINUTES,
        label: 'dead-lettered, per cent',
      }),
      threshold: share,
      says: `${share} % or more of what was finished within five minutes was dead-lettered`,
      next: groups,
    },
    {
      kind: AlarmKind.SPIKE,
      severity: 'critical',
      // Received and not done, whatever the consumer is written in.
      metric: new cloudwatch.MathExpression({
        expression: 'FILL(received, 0) - FILL(done, 0)',
        usingMetrics: {
          received: sourceQueue.metricNumberOfMessagesReceived({ statistic: 'Sum', period: FIVE_MINUTES }),
          done: done(sourceQueue, FIVE_MINUTES),
        },
        period: FIVE_MINUTES,
        label: 'failing receives',
      }),
      threshold: undefined,
      deviations: thresholds.spikeDeviations ?? 2,
      periods: 2,
      says: 'more receives fail than usual at this time',
      next: groups,
    },
    {
      kind: AlarmKind.BACKLOG,
      severity: 'warning',
      metric: new cloudwatch.MathExpression({
        expression: 'IF(FILL(done, 0) > 0, 5 * waiting / FILL(done, 0), 0)',
        usingMetrics: { waiting: depth(sourceQueue, FIVE_MINUTES), done: done(sourceQueue, FIVE_MINUTES) },
        period: FIVE_MINUTES,
        label: 'minutes to work off',
      }),
      threshold: backlog.toMinutes({ integral: false }),
      periods: 3,
      says: `at its present pace the consumer needs ${backlog.toMinutes({ integral: false })} minutes or more for what waits`,
      next: 'look at the consumer: maximum concurrency, duration, a slow dependency',
    },
    {
      kind: AlarmKind.STALL,
      severity: 'critical',
      metric: new cloudwatch.MathExpression({
        expression: `IF(age >= ${stall.toSeconds()} AND FILL(done, 0) < 1, 1, 0)`,
        usingMetrics: { age: oldestAge(sourceQueue, MINUTE), done: done(sourceQueue, MINUTE) },
        period: MINUTE,
        label: 'stalled',
      }),
      threshold: 1,
      periods: 5,
      says: `messages wait for ${stall.toMinutes({ integral: false })} minutes and none is done`,
      next: 'look at the consumer: throttles, errors, a disabled event source mapping',
    },
    {
      kind: AlarmKind.IN_FLIGHT,
      severity: 'warning',
      metric: sourceQueue.metricApproximateNumberOfMessagesNotVisible({
        statistic: 'Maximum',
        period: MINUTE,
      }),
      threshold: sourceQueue.fifo ? IN_FLIGHT.fifo : IN_FLIGHT.standard,
      says: 'nearly as many messages in flight as SQS allows; then it gives out no more',
      next: 'shorten the visibility timeout, or add capacity',
    },
  ];
}

/** The redrive runs of a queue. */
export function runSpecs(queueName: string): AlarmSpec[] {
  const next = `npx redrive runs ${queueName}`;
  return [
    {
      kind: AlarmKind.RUN_STOPPED,
      severity: 'warning',
      metric: new cloudwatch.MathExpression({
        expression: 'FILL(stopped, 0) + FILL(failed, 0)',
        usingMetrics: {
          stopped: runMetric(queueName, 'RunsStopped', MINUTE),
          failed: runMetric(queueName, 'RunsFailed', MINUTE),
        },
        period: MINUTE,
        label: 'runs stopped or failed',
      }),
      threshold: 1,
      says: 'a redrive was stopped by a rule or failed',
      next,
    },
    {
      kind: AlarmKind.UNBALANCED,
      severity: 'critical',
      metric: runMetric(queueName, 'RunsUnbalanced', MINUTE),
      threshold: 1,
      says: 'the account of a redrive does not balance',
      next,
    },
    {
      kind: AlarmKind.PARKED,
      severity: 'warning',
      metric: runMetric(queueName, 'Parked', MINUTE),
      threshold: 1,
      says: 'messages came back too often and are parked: they need a person',
      next: `npx redrive groups ${queueName}`,
    },
  ];
}

/** A function as Lambda sees it; once, however many queues feed it. */
export function functionSpecs(consumer: IFunction): AlarmSpec[] {
  return [
    {
      kind: AlarmKind.THROTTLES,
      severity: 'warning',
      metric: consumer.metricThrottles({ statistic: 'Sum', period: MINUTE }),
      threshold: 1,
      periods: 3,
      says: `${consumer.node.path} is throttled: messages lose receives without an attempt`,
      next: 'compare reserved concurrency and the account limit with the maximum concurrency of its mappings',
    },
    {
      kind: AlarmKind.RECURSION,
      severity: 'critical',
      metric: consumer.metric('RecursiveInvocationsDropped', { statistic: 'Sum', period: MINUTE }),
      threshold: 1,
      says: `Lambda cut a loop through ${consumer.node.path}: it sends to the queue that feeds it`,
      next: 'find the send in the consumer; delay with the visibility timeout instead',
    },
  ];
}

/** A function as the consumer library tells of it. */
export function librarySpecs(queueName: string, consumerName: string): AlarmSpec[] {
  return [
    {
      kind: AlarmKind.STORE_ERRORS,
      severity: 'critical',
      metric: consumerMetric(queueName, consumerName, 'StoreErrors', MINUTE),
      threshold: 1,
      periods: 3,
      says: 'the consumer can not reach its idempotency table or the failure store: messages wait, failures go unrecorded',
      next: 'look at the throttles and rights of both tables',
    },
  ];
}
