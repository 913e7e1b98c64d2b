import { randomUUID } from 'node:crypto';
import type { Timer } from '../clock/clock';
import { checkPattern, matches, type Pattern, PatternError } from '../gateway/event-pattern';
import type { Environment } from '../gateway/service';
import { parseSchedule, ScheduleError, type ScheduleExpression } from '../schedule/schedule-expression';
import { deliver, type EventsPorts, type Target, WrongRuleError } from './targets';

type Json = Readonly<Record<string, unknown>>;

export interface Rule {
  readonly name: string;
  readonly bus: string;
  readonly arn: string;
  readonly pattern: Pattern | undefined;
  readonly schedule: { readonly text: string; readonly expression: ScheduleExpression } | undefined;
  readonly enabled: boolean;
  readonly description: string | undefined;
  readonly targets: readonly Target[];
}

/** Buses, and the rules on each with the timers of those that run by time. */
export class Rules {
  readonly buses = new Set(['default']);
  private readonly rules = new Map<string, Rule>();
  private readonly timers = new Map<string, Timer>();
  private started = false;

  constructor(
    private readonly environment: Environment,
    private readonly ports: EventsPorts,
  ) {}

  start(): void {
    this.started = true;
    for (const rule of this.rules.values()) this.arm(rule);
  }

  stop(): void {
    this.started = false;
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
  }

  get(bus: string, name: string): Rule | undefined {
    return this.rules.get(`${bus}/${name}`);
  }

  on(bus: string): Rule[] {
    return [...this.rules.values()].filter((rule) => rule.bus === bus);
  }

  /** From the properties of the resource, or the parameters of PutRule: they have the same names. */
  put(bus: string, name: string, given: Json, targets?: readonly Target[]): Rule {
    if (!this.buses.has(bus)) throw new WrongRuleError('EventBusName', `there is no event bus ${bus}`);
    const pattern = patternOf(given['EventPattern']);
    const schedule = this.scheduleOf(given['ScheduleExpression']);
    if (pattern === undefined && schedule === undefined)
      throw new WrongRuleError('EventPattern', 'a rule has an EventPattern or a ScheduleExpression');
    if (schedule !== undefined && bus !== 'default')
      throw new WrongRuleError('ScheduleExpression', 'only rules on the default event bus have a schedule');
    const rule: Rule = {
      name,
      bus,
      arn: this.arnOf(bus, name),
      pattern,
      schedule,
      enabled: given['State'] !== 'DISABLED',
      description: given['Description'] === undefined ? undefined : String(given['Description']),
      targets: targets ?? this.get(bus, name)?.targets ?? [],
    };
    this.replace(rule);
    return rule;
  }

  replace(rule: Rule): void {
    this.rules.set(keyOf(rule), rule);
    this.arm(rule);
  }

  remove(rule: Rule): void {
    this.timers.get(keyOf(rule))?.cancel();
    this.timers.delete(keyOf(rule));
    this.rules.delete(keyOf(rule));
  }

  /** Brings an event to the targets of every rule on the bus that it matches. */
  route(bus: string, event: Json): void {
    for (const rule of this.on(bus))
      if (rule.enabled && rule.pattern !== undefined && matches(rule.pattern, event)) this.fire(rule, event);
  }

  arnOf(bus: string, name: string): string {
    const { region, account } = this.environment;
    return `arn:aws:events:${region}:${account}:rule/${bus === 'default' ? '' : `${bus}/`}${name}`;
  }

  private fire(rule: Rule, event: Json): void {
    for (const target of rule.targets) void deliver(this.environment, this.ports, rule, target, event);
  }

  private arm(rule: Rule, after = this.environment.clock.now()): void {
    const { clock } = this.environment;
    this.timers.get(keyOf(rule))?.cancel();
    const at = rule.schedule?.expression.next(after);
    if (!this.started || !rule.enabled || at === undefined) return;
    const timer = clock.after(at - clock.now(), () => {
      const current = this.rules.get(keyOf(rule)) ?? rule;
      this.arm(current, at);
      this.fire(current, this.scheduledEvent(current, at));
    });
    this.timers.set(keyOf(rule), timer);
  }

  private scheduledEvent({ arn }: Rule, at: number): Json {
    const { account, region } = this.environment;
    return {
      version: '0',
      id: randomUUID(),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account,
      time: `${new Date(at).toISOString().slice(0, 19)}Z`,
      region,
      resources: [arn],
      detail: {},
    };
  }

  private scheduleOf(given: unknown): Rule['schedule'] {
    if (given === undefined || given === '') return undefined;
    try {
      const text = String(given);
      const expression = parseSchedule(text, { madeAt: this.environment.clock.now() });
      if (expression.kind === 'at') throw new ScheduleError(`${text}: rules know rate() and cron()`);
      return { text, expression };
    } catch (error) {
      if (error instanceof ScheduleError) throw new WrongRuleError('ScheduleExpression', error.message);
      throw error;
    }
  }
}

/** Templates have an object, calls its text. */
function patternOf(given: unknown): Pattern | undefined {
  if (given === undefined || given === '') return undefined;
  try {
    const pattern: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    checkPattern(pattern);
    return pattern as Pattern;
  } catch (error) {
    if (error instanceof PatternError || error instanceof SyntaxError)
      throw new WrongRuleError('EventPattern', error.message);
    throw error;
  }
}

function keyOf({ bus, name }: Rule): string {
  return `${bus}/${name}`;
}
