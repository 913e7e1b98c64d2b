import type { FailureClass } from './records';

/** Which messages of the dead-letter queue a run is about. Fields are joined by and, values of a field by or. */
export interface Selection {
  /** True: everything, also what the failure store knows nothing of. Other fields still narrow it. */
  readonly all?: boolean;
  readonly signatures?: readonly string[];
  readonly codes?: readonly string[];
  readonly classes?: readonly FailureClass[];
  readonly messageTypes?: readonly string[];
  readonly tenants?: readonly string[];
  /** Original ids, or ids that the message has now. */
  readonly messageIds?: readonly string[];
  /** First failure at or after, ISO 8601. */
  readonly failedFrom?: string;
  /** First failure before, ISO 8601. */
  readonly failedUntil?: string;
  readonly sourceQueueArns?: readonly string[];
  readonly minimumReceiveCount?: number;
  readonly maximumReceiveCount?: number;
}

export interface CanaryRule {
  /** Messages, 1 to 1,000. */
  readonly size: number;
  /** How long to wait for the last outcome before the canary is judged, 0 to 3,600 seconds. */
  readonly soakSeconds: number;
}

export interface StopRule {
  /** Returned of settled, above 0 and up to 1. */
  readonly failureShare: number;
  /** Outcomes before the share is looked at, from 1. */
  readonly minimumSample: number;
  /** Returned messages at which the run stops whatever the share. */
  readonly failures?: number;
  /** Stops when a returned message fails for a signature that none of the selected had. */
  readonly newSignature?: boolean;
  /** Run time in seconds, up to 14 days. */
  readonly maximumSeconds?: number;
}

export type PlanAction = 'redrive' | 'discard';

/** What a run does, complete and unchanging; only the rate can be changed while it runs. */
export interface RedrivePlan {
  /** Name of the source queue. */
  readonly queue: string;
  readonly action: PlanAction;
  readonly select: Selection;
  /** Messages per second, 0.1 to 10,000. */
  readonly rate: number;
  readonly canary?: CanaryRule;
  /** Shares of the rate in per cent, growing, ending with 100; each step is earned by the one before. */
  readonly ramp: readonly number[];
  readonly stop: StopRule;
  readonly destination: 'replay-queue' | 'source-queue';
  /** At most so many messages, from 1. */
  readonly maximumMessages?: number;
  /** A message that came back this often is left alone unless `includeParked`. */
  readonly parkAfter: number;
  readonly includeParked?: boolean;
  /** How long to wait for outcomes after the last send, 1 to 1,209,600 seconds. */
  readonly settleSeconds: number;
  readonly reason: string;
  readonly operator: string;
  /** Preflight check to the reason why it does not count this time. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** What a person must give; everything else has a default. */
export type PlanRequest = Partial<RedrivePlan> & Pick<RedrivePlan, 'queue' | 'reason' | 'operator'>;

export interface PlanProblem {
  readonly field: string;
  readonly given: string;
  readonly allowed: string;
}

export const PLAN_DEFAULTS = {
  action: 'redrive',
  rate: 5,
  canary: { size: 10, soakSeconds: 60 },
  ramp: [25, 100],
  stop: { failureShare: 0.05, minimumSample: 10, newSignature: false },
  destination: 'replay-queue',
  parkAfter: 3,
  settleSeconds: 900,
} as const;

export function planOf(request: PlanRequest): RedrivePlan {
  return { ...PLAN_DEFAULTS, select: {}, ...request };
}

const FORTNIGHT = 1_209_600;

/** Every reason at once why the plan can't be carried out; empty when it can. */
export function planProblems(plan: RedrivePlan): PlanProblem[] {
  const problems: PlanProblem[] = [];
  const check = (holds: boolean, field: string, given: unknown, allowed: string): void => {
    if (!holds) problems.push({ field, given: JSON.stringify(given) ?? 'nothing', allowed });
  };
  const within = (value: unknown, low: number, high: number): boolean =>
    typeof value === 'number' && value >= low && value <= high;
  const count = (value: unknown, low: number, high: number): boolean =>
    Number.isInteger(value) && within(value, low, high);

  check(/^[A-Za-z0-9_.-]{1,80}$/.test(plan.queue), 'queue', plan.queue, 'the name of a source queue');
  check(['redrive', 'discard'].includes(plan.action), 'action', plan.action, 'redrive or discard');
  check(
    ['replay-queue', 'source-queue'].includes(plan.destination),
    'destination',
    plan.destination,
    'replay-queue or source-queue',
  );
  check(within(plan.rate, 0.1, 10_000), 'rate', plan.rate, '0.1 to 10,000 messages per second');
  check(
    isSelective(plan.select) || plan.select.all === true,
    'select',
    plan.select,
    'all: true, or at least one criterion',
  );
  if (plan.canary !== undefined) {
    check(count(plan.canary.size, 1, 1_000), 'canary.size', plan.canary.size, '1 to 1,000 messages');
    check(
      within(plan.canary.soakSeconds, 0, 3_600),
      'canary.soakSeconds',
      plan.canary.soakSeconds,
      '0 to 3,600 seconds',
    );
  }
  check(isRamp(plan.ramp), 'ramp', plan.ramp, 'growing shares above 0, the last one 100');
  check(
    within(plan.stop.failureShare, 0, 1) && plan.stop.failureShare > 0,
    'stop.failureShare',
    plan.stop.failureShare,
    'above 0, up to 1',
  );
  check(
    count(plan.stop.minimumSample, 1, 1_000_000),
    'stop.minimumSample',
    plan.stop.minimumSample,
    '1 to 1,000,000 outcomes',
  );
  if (plan.stop.failures !== undefined)
    check(count(plan.stop.failures, 1, 1e9), 'stop.failures', plan.stop.failures, 'a whole number from 1');
  if (plan.stop.maximumSeconds !== undefined)
    check(
      within(plan.stop.maximumSeconds, 1, FORTNIGHT),
      'stop.maximumSeconds',
      plan.stop.maximumSeconds,
      '1 to 1,209,600 seconds',
    );
  if (plan.maximumMessages !== undefined)
    check(
      count(plan.maximumMessages, 1, 1e9),
      'maximumMessages',
      plan.maximumMessages,
      'a whole number from 1',
    );
  check(count(plan.parkAfter, 1, 100), 'parkAfter', plan.parkAfter, '1 to 100 returns');
  check(
    within(plan.settleSeconds, 1, FORTNIGHT),
    'settleSeconds',
    plan.settleSeconds,
    '1 to 1,209,600 seconds',
  );
  check(plan.reason.trim().length >= 3, 'reason', plan.reason, 'why, in at least three characters');
  check(plan.operator.trim().length > 0, 'operator', plan.operator, 'who asks for it');
  return problems;
}

/** True when the run may meet messages that it leaves alone. */
export function isSelective({ all: _, ...criteria }: Selection): boolean {
  return Object.values(criteria).some(
    (value) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
}

function isRamp(ramp: readonly number[]): boolean {
  return (
    ramp.length > 0 &&
    ramp[ramp.length - 1] === 100 &&
    ramp.every((share, index) => share > (index === 0 ? 0 : (ramp[index - 1] ?? 0)))
  );
}
