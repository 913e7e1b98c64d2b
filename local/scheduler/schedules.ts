import { randomUUID } from 'node:crypto';
import type { Timer } from '../clock/clock';
import type { Environment } from '../gateway/service';
import { parseSchedule, ScheduleError, type ScheduleExpression } from '../schedule/schedule-expression';
import { deliver, readTarget, type SchedulerPorts, type Target, WrongScheduleError } from './target';

type Json = Readonly<Record<string, unknown>>;

export interface Schedule {
  readonly name: string;
  readonly group: string;
  readonly arn: string;
  readonly text: string;
  readonly timeZone: string;
  readonly expression: ScheduleExpression;
  readonly startsAt: number | undefined;
  readonly endsAt: number | undefined;
  readonly enabled: boolean;
  readonly target: Target;
  readonly description: string | undefined;
  readonly deleteWhenDone: boolean;
  readonly flexibleTimeWindow: unknown;
  readonly createdAt: number;
  readonly modifiedAt: number;
}

interface Armed {
  readonly schedule: Schedule;
  timer: Timer | undefined;
}

/** Every schedule, each with the timer of its next run. */
export class Schedules {
  readonly groups = new Map<string, { readonly arn: string; readonly createdAt: number }>();
  private readonly armed = new Map<string, Armed>();
  private started = false;

  constructor(
    private readonly environment: Environment,
    private readonly ports: SchedulerPorts,
  ) {
    this.addGroup('default');
  }

  start(): void {
    if (this.started) return;
    this.started = true;
    for (const one of this.armed.values()) this.arm(one, this.environment.clock.now());
  }

  stop(): void {
    this.started = false;
    for (const { timer } of this.armed.values()) timer?.cancel();
  }

  addGroup(name: string): string {
    const { region, account, clock } = this.environment;
    const arn = `arn:aws:scheduler:${region}:${account}:schedule-group/${name}`;
    this.groups.set(name, { arn, createdAt: clock.now() });
    return arn;
  }

  removeGroup(name: string): void {
    this.groups.delete(name);
    for (const { schedule } of this.armed.values())
      if (schedule.group === name) this.remove(schedule.group, schedule.name);
  }

  get(group: string, name: string): Schedule | undefined {
    return this.armed.get(`${group}/${name}`)?.schedule;
  }

  all(): Schedule[] {
    return [...this.armed.values()].map(({ schedule }) => schedule);
  }

  /** From the properties of the resource, or the parameters of a call: they have the same names. */
  put(group: string, name: string, given: Json): Schedule {
    const schedule = this.read(group, name, given);
    this.remove(group, name);
    const armed: Armed = { schedule, timer: undefined };
    this.armed.set(`${group}/${name}`, armed);
    if (this.started) this.arm(armed, this.environment.clock.now());
    return schedule;
  }

  remove(group: string, name: string): void {
    const key = `${group}/${name}`;
    this.armed.get(key)?.timer?.cancel();
    this.armed.delete(key);
  }

  arnOf(group: string, name: string): string {
    const { region, account } = this.environment;
    return `arn:aws:scheduler:${region}:${account}:schedule/${group}/${name}`;
  }

  private arm(armed: Armed, after: number): void {
    const { schedule } = armed;
    if (!schedule.enabled) return;
    const { clock } = this.environment;
    const from = Math.max(after, (schedule.startsAt ?? 0) - 1);
    const at = schedule.expression.next(from);
    if (at === undefined || (schedule.endsAt !== undefined && at > schedule.endsAt)) {
      if (schedule.deleteWhenDone) this.remove(schedule.group, schedule.name);
      return;
    }
    armed.timer = clock.after(at - clock.now(), () => {
      const run = { scheduleArn: schedule.arn, at, executionId: randomUUID() };
      void deliver(this.environment, this.ports, schedule.target, run);
      this.arm(armed, at);
    });
  }

  private read(group: string, name: string, given: Json): Schedule {
    if (!this.groups.has(group))
      throw new WrongScheduleError('GroupName', `there is no schedule group ${group}`);
    const text = String(given['ScheduleExpression'] ?? '');
    const timeZone = String(given['ScheduleExpressionTimezone'] ?? 'UTC');
    const now = this.environment.clock.now();
    const startsAt = timeOf(given, 'StartDate');
    return {
      name,
      group,
      arn: this.arnOf(group, name),
      text,
      timeZone,
      expression: expressionOf(text, timeZone, Math.max(now, startsAt ?? 0)),
      startsAt,
      endsAt: timeOf(given, 'EndDate'),
      enabled: given['State'] !== 'DISABLED',
      target: readTarget(given['Target']),
      description: given['Description'] === undefined ? undefined : String(given['Description']),
      deleteWhenDone: given['ActionAfterCompletion'] === 'DELETE',
      flexibleTimeWindow: given['FlexibleTimeWindow'] ?? { Mode: 'OFF' },
      createdAt: this.get(group, name)?.createdAt ?? now,
      modifiedAt: now,
    };
  }
}

function expressionOf(text: string, timeZone: string, madeAt: number): ScheduleExpression {
  try {
    return parseSchedule(text, { timeZone, madeAt });
  } catch (error) {
    if (error instanceof ScheduleError) throw new WrongScheduleError('ScheduleExpression', error.message);
    throw error;
  }
}

/** Templates write dates, calls seconds since the epoch. */
function timeOf(given: Json, property: string): number | undefined {
  const value = given[property];
  if (value === undefined) return undefined;
  const at = typeof value === 'number' ? value * 1000 : Date.parse(String(value));
  if (Number.isNaN(at)) throw new WrongScheduleError(property, `'${String(value)}' is not a time`);
  return at;
}
