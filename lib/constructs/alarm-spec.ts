import { Annotations, Duration, Stack, Token } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { AlarmKind, type AlarmOptions, AlarmProfile } from './alarm-options';

export const MINUTE = Duration.minutes(1);
export const FIVE_MINUTES = Duration.minutes(5);

/** An alarm as data. */
export interface AlarmSpec {
  readonly kind: AlarmKind;
  readonly severity: 'warning' | 'critical';
  readonly metric: cloudwatch.IMetric;
  /** Reached or passed is an alarm. Undefined: above the usual band of so many standard deviations. */
  readonly threshold: number | undefined;
  readonly deviations?: number;
  /** How many periods in a row. Default 1. */
  readonly periods?: number;
  /** What is the matter, for whoever is woken. */
  readonly says: string;
  /** The next command. */
  readonly next: string;
}

/** Who is woken, and what the description says beside the matter itself. */
export interface AlarmAudience {
  readonly queueName: string;
  readonly owner: string;
  readonly runbookUrl?: string;
  readonly topic: ITopic;
  readonly criticalTopic?: ITopic;
}

const COMMON: readonly AlarmKind[] = [
  AlarmKind.GROWTH,
  AlarmKind.OLDEST,
  AlarmKind.EXPIRY,
  AlarmKind.BACKLOG,
  AlarmKind.STALL,
  AlarmKind.IN_FLIGHT,
  AlarmKind.RUN_STOPPED,
  AlarmKind.UNBALANCED,
  AlarmKind.PARKED,
  AlarmKind.THROTTLES,
  AlarmKind.RECURSION,
  AlarmKind.STORE_ERRORS,
];

const OF_PROFILE: Readonly<Record<AlarmProfile, readonly AlarmKind[]>> = {
  [AlarmProfile.CRITICAL_FLOW]: [AlarmKind.PRESENCE, ...COMMON],
  [AlarmProfile.HIGH_VOLUME]: [AlarmKind.DEPTH, AlarmKind.FAILURE_SHARE, AlarmKind.SPIKE, ...COMMON],
};

export function wantedKinds({
  alarmProfile,
  moreAlarms = [],
  withoutAlarms = [],
}: AlarmOptions): Set<AlarmKind> {
  const kinds = new Set([...OF_PROFILE[alarmProfile ?? AlarmProfile.CRITICAL_FLOW], ...moreAlarms]);
  for (const kind of withoutAlarms) kinds.delete(kind);
  return kinds;
}

/** Raised and over are both told: a latched alarm says nothing of the second message (field rule F32). */
export function makeAlarm(
  scope: Construct,
  spec: AlarmSpec,
  audience: AlarmAudience,
  id: string = spec.kind,
): cloudwatch.Alarm {
  const settings = {
    metric: spec.metric,
    evaluationPeriods: spec.periods ?? 1,
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    alarmDescription: descriptionOf(spec, audience),
  };
  const alarm =
    spec.threshold === undefined
      ? new cloudwatch.AnomalyDetectionAlarm(scope, id, {
          ...settings,
          stdDevs: spec.deviations ?? 2,
          comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_UPPER_THRESHOLD,
        })
      : new cloudwatch.Alarm(scope, id, {
          ...settings,
          threshold: spec.threshold,
          comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        });
  const { topic, criticalTopic } = audience;
  const action = new SnsAction(spec.severity === 'critical' ? (criticalTopic ?? topic) : topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  return alarm;
}

function descriptionOf({ severity, says, next }: AlarmSpec, audience: AlarmAudience): string {
  const { queueName, owner, runbookUrl } = audience;
  return [
    `${severity.toUpperCase()} · ${queueName}: ${says}.`,
    `Owner: ${owner}.`,
    ...(runbookUrl === undefined ? [] : [`Runbook: ${runbookUrl}`]),
    `Next: ${next}`,
  ].join(' ');
}

const opened = new WeakSet<ITopic>();

/**
 * Lets CloudWatch use a topic and its key, without which alarms turn red and nobody hears (field rule F34).
 * https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
 */
export function openToCloudWatch(scope: Construct, topic: ITopic): void {
  if (opened.has(topic)) return;
  opened.add(topic);
  const principal = new iam.ServicePrincipal('cloudwatch.amazonaws.com');
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  const statement = (actions: string[], resource: string): iam.PolicyStatement =>
    new iam.PolicyStatement({ principals: [principal], actions, resources: [resource], conditions });
  if (topic instanceof Topic) {
    const { kmsMasterKeyId } = topic.node.defaultChild as { kmsMasterKeyId?: string };
    if (
      typeof kmsMasterKeyId === 'string' &&
      !Token.isUnresolved(kmsMasterKeyId) &&
      kmsMasterKeyId.endsWith('alias/aws/sns')
    )
      Annotations.of(scope).addError(
        'ALARM_TOPIC_KEY: CloudWatch may not use the key alias/aws/sns, so that alarms would reach nobody; use a key of your own',
      );
    // A policy of its own takes the place of the one by which services of the account may publish.
    if (topic.node.tryFindChild('Policy') !== undefined)
      topic.addToResourcePolicy(statement(['sns:Publish'], topic.topicArn));
  }
  if (topic.masterKey === undefined) return;
  const { statementAdded } = topic.masterKey.addToResourcePolicy(
    statement(['kms:Decrypt', 'kms:GenerateDataKey*'], '*'),
  );
  if (!statementAdded)
    Annotations.of(scope).addWarningV2(
      'cdk-redrive:alarm-topic-key',
      `the policy of ${topic.masterKey.node.path} can't be changed here: let cloudwatch.amazonaws.com use kms:Decrypt and kms:GenerateDataKey* there, or alarms reach nobody`,
    );
}
