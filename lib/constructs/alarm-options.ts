import type { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';

/** When people are woken. */
export enum AlarmProfile {
  /** Any message in the dead-letter queue is an alarm. */
  CRITICAL_FLOW = 'critical-flow',
  /** Depth above 1,000, more than 100 arrivals a minute, a share of failures, or a spike of failing receives. */
  HIGH_VOLUME = 'high-volume',
}

/** One thing that can be the matter with a queue; the text is also the end of the alarm's construct id. */
export enum AlarmKind {
  /** A message is in the dead-letter queue: critical. In CRITICAL_FLOW. */
  PRESENCE = 'Presence',
  /** The dead-letter queue is deep: warning. In HIGH_VOLUME. */
  DEPTH = 'Depth',
  /** Messages arrive fast in the dead-letter queue: critical. A presence alarm that is red already says nothing of a flood. */
  GROWTH = 'Growth',
  /** Of what was finished too much was dead-lettered: critical. In HIGH_VOLUME. */
  FAILURE_SHARE = 'FailureShare',
  /** More failing receives than usual at this time of day and week: critical. In HIGH_VOLUME; priced as three metrics. */
  SPIKE = 'Spike',
  /** The oldest dead letter is a day old: warning. */
  OLDEST = 'Oldest',
  /** Dead letters expire within about two days: critical. */
  EXPIRY = 'Expiry',
  /** The source queue is fed faster than it is worked off: warning. */
  BACKLOG = 'Backlog',
  /** Messages wait and none is done: critical. Age alone is no sign, a single poison message makes it grow. */
  STALL = 'Stall',
  /** Nearly as many messages in flight as SQS allows: warning. */
  IN_FLIGHT = 'InFlight',
  /** A redrive was stopped by a rule or failed: warning. */
  RUN_STOPPED = 'RunStopped',
  /** The account of a redrive does not balance: critical. */
  UNBALANCED = 'Unbalanced',
  /** A redrive left messages alone that came back too often: warning. */
  PARKED = 'Parked',
  /** Invocations of a consumer are throttled: warning. Throttled receives count towards `maxReceiveCount`. */
  THROTTLES = 'Throttles',
  /** Lambda cut a loop between function and queue: critical. */
  RECURSION = 'Recursion',
  /** The consumer library could not reach the idempotency table or the failure store: critical. */
  STORE_ERRORS = 'StoreErrors',
}

/** Where the alarms of a queue begin. */
export interface AlarmThresholds {
  /** Messages in the dead-letter queue that are deep. Default 1,000. */
  readonly depthThreshold?: number;
  /** Dead letters a minute that are critical. Default 100 (CRITICAL_FLOW: 10). */
  readonly arrivalsPerMinute?: number;
  /** Dead-lettered of all that was finished within five minutes, in per cent, above 0 and up to 100. Default 5. */
  readonly failureSharePercent?: number;
  /** Finished messages in five minutes below which no share is taken: one of two is no trend. Default 20. */
  readonly failureShareMinimum?: number;
  /** Width of the band around the usual number of failing receives, in standard deviations. Default 2. */
  readonly spikeDeviations?: number;
  /** Age of the oldest dead letter that is a warning. Default 24 hours. */
  readonly oldestAge?: Duration;
  /** How long before the oldest dead letter expires people are told, up to 13 days. Default 2 days: a weekend. */
  readonly expiryNotice?: Duration;
  /** Time to work the source queue off at its present pace that is a warning. Default 1 hour. */
  readonly backlogTime?: Duration;
  /** Age of the oldest message in the source queue, with nothing done for five minutes, at which it is stalled. Default 15 minutes. */
  readonly stallAge?: Duration;
}

/** The alarms of a queue: which, from where on, and to whom. */
export interface AlarmOptions {
  /** Default CRITICAL_FLOW. */
  readonly alarmProfile?: AlarmProfile;
  /** Where alarms go, and the word that they are over. Default: a topic of the stack. */
  readonly alarmTopic?: ITopic;
  /** Where critical alarms go instead. Default: `alarmTopic`. */
  readonly criticalAlarmTopic?: ITopic;
  /** Default: the documented ones. */
  readonly alarmThresholds?: AlarmThresholds;
  /** Alarms beside those of the profile. Default: none. */
  readonly moreAlarms?: AlarmKind[];
  /** Alarms of the profile that are left out. Default: none. */
  readonly withoutAlarms?: AlarmKind[];
}
