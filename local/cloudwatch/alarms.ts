import type { FunctionInvoker, TopicPublisher } from '../gateway/ports';
import type { Environment } from '../gateway/service';
import { type AlarmConfig, evaluateAlarm } from './alarm';
import { evaluateRule } from './composite-rule';
import type { MetricStore } from './metric-store';
import type { AlarmState } from './missing-data';
import { functionNotice, topicNotice } from './notices';

/** An alarm over other alarms. */
export interface CompositeConfig {
  readonly name: string;
  readonly arn: string;
  readonly description?: string;
  readonly rule: string;
  readonly actionsEnabled: boolean;
  readonly actions: Readonly<Record<AlarmState, readonly string[]>>;
}

export interface Alarm {
  config: AlarmConfig | CompositeConfig;
  configuredAt: number;
  state: AlarmState;
  reason: string;
  changedAt: number;
}

export interface StateChange {
  readonly name: string;
  readonly at: number;
  readonly from: AlarmState;
  readonly to: AlarmState;
  readonly reason: string;
}

const KEPT_CHANGES = 10_000;

/** All alarms, their states and what they do when these change. */
export class Alarms {
  readonly all = new Map<string, Alarm>();
  readonly changes: StateChange[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly store: MetricStore,
    private readonly targets: { readonly topics: TopicPublisher; readonly functions: FunctionInvoker },
  ) {}

  put(config: AlarmConfig | CompositeConfig): void {
    const known = this.all.get(config.name);
    const now = this.environment.clock.now();
    if (known !== undefined) Object.assign(known, { config, configuredAt: now });
    else
      this.all.set(config.name, {
        config,
        configuredAt: now,
        state: 'INSUFFICIENT_DATA',
        reason: 'Unchecked: Initial alarm creation',
        changedAt: now,
      });
  }

  /** Judges every alarm whose period ends now, then those over other alarms. */
  evaluate(now: number): void {
    for (const alarm of this.all.values()) {
      const { config } = alarm;
      if (!('metrics' in config) || now % (config.period * 1000) !== 0) continue;
      const { state, reason } = evaluateAlarm(config, this.store, now);
      if (state !== undefined && state !== alarm.state) this.change(alarm, state, reason());
    }
    this.evaluateComposites();
  }

  /** By a caller; alarms over this one follow at once. */
  set(alarm: Alarm, to: AlarmState, reason: string): void {
    this.change(alarm, to, reason);
    this.evaluateComposites();
  }

  /** Again while anything changes, since a rule may name another alarm with a rule; a circle ends by the count. */
  private evaluateComposites(): void {
    const composites = [...this.all.values()].filter(({ config }) => 'rule' in config);
    for (let round = 0; round < composites.length; round++) {
      let changed = false;
      for (const alarm of composites) {
        const { rule } = alarm.config as CompositeConfig;
        const to = evaluateRule(rule, (name) => this.all.get(name)?.state) ? 'ALARM' : 'OK';
        changed ||= to !== alarm.state;
        this.change(alarm, to, `The rule is ${to === 'ALARM' ? '' : 'not '}met: ${rule}`);
      }
      if (!changed) return;
    }
  }

  private change(alarm: Alarm, to: AlarmState, reason: string): void {
    const { state: from, config } = alarm;
    if (from === to) return;
    const at = this.environment.clock.now();
    Object.assign(alarm, { state: to, reason, changedAt: at });
    this.changes.push({ name: config.name, at, from, to, reason });
    if (this.changes.length > KEPT_CHANGES) this.changes.shift();
    this.emit('cloudwatch.alarm', { alarmName: config.name, from, to, reason });
    if (config.actionsEnabled) for (const action of config.actions[to]) this.act(action, alarm, from);
  }

  private act(action: string, alarm: Alarm, from: AlarmState): void {
    if (action.split(':')[2] === 'sns') {
      this.targets.topics.publish(action, topicNotice(this.environment, alarm, from));
      return;
    }
    const release = this.environment.clock.hold();
    this.targets.functions
      .invoke(action, functionNotice(this.environment, alarm, from))
      .catch((error) =>
        this.emit('cloudwatch.action-failed', {
          alarmName: alarm.config.name,
          action,
          reason: String(error),
        }),
      )
      .finally(release);
  }

  private emit(type: string, detail: Readonly<Record<string, unknown>>): void {
    this.environment.emit({ type, at: this.environment.clock.now(), detail });
  }
}
