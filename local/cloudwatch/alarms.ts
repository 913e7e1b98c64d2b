import type { FunctionInvoker, TopicPublisher } from '../gateway/ports';
import type { Environment } from '../gateway/service';
import { type AlarmConfig, type AlarmState, type Evaluation, evaluateAlarm } from './alarm';
import { evaluateRule } from './composite-rule';
import type { MetricStore } from './metric-store';

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
    if (known !== undefined) known.config = config;
    else
      this.all.set(config.name, {
        config,
        state: 'INSUFFICIENT_DATA',
        reason: 'Unchecked: Initial alarm creation',
        changedAt: this.environment.clock.now(),
      });
  }

  /** Judges every alarm whose period ends now; composite ones after the others. */
  evaluate(now: number): void {
    for (const alarm of this.all.values()) {
      const { config } = alarm;
      if ('metrics' in config && now % (config.period * 1000) === 0)
        this.apply(alarm, evaluateAlarm(config, this.store, now));
    }
    for (const alarm of this.all.values()) {
      const { config } = alarm;
      if (!('rule' in config)) continue;
      const raised = evaluateRule(config.rule, (name) => this.all.get(name)?.state);
      this.apply(alarm, {
        state: raised ? 'ALARM' : 'OK',
        reason: `The rule is ${raised ? '' : 'not '}met: ${config.rule}`,
      });
    }
  }

  set(alarm: Alarm, to: AlarmState, reason: string): void {
    const from = alarm.state;
    if (from === to) return;
    const at = this.environment.clock.now();
    alarm.state = to;
    alarm.reason = reason;
    alarm.changedAt = at;
    this.changes.push({ name: alarm.config.name, at, from, to, reason });
    if (this.changes.length > KEPT_CHANGES) this.changes.shift();
    this.environment.emit({
      type: 'cloudwatch.alarm',
      at,
      detail: { alarmName: alarm.config.name, from, to, reason },
    });
    if (alarm.config.actionsEnabled)
      for (const action of alarm.config.actions[to]) this.act(action, alarm, from);
  }

  private apply(alarm: Alarm, { state, reason }: Evaluation): void {
    if (state !== undefined) this.set(alarm, state, reason);
  }

  private act(action: string, alarm: Alarm, from: AlarmState): void {
    const { clock, region, account } = this.environment;
    const { config, state, reason } = alarm;
    const body = JSON.stringify({
      AlarmName: config.name,
      AlarmDescription: config.description ?? null,
      AWSAccountId: account,
      AlarmConfigurationUpdatedTimestamp: new Date(alarm.changedAt).toISOString(),
      NewStateValue: state,
      NewStateReason: reason,
      StateChangeTime: new Date(clock.now()).toISOString(),
      Region: region,
      AlarmArn: config.arn,
      OldStateValue: from,
      OKActions: config.actions.OK,
      AlarmActions: config.actions.ALARM,
      InsufficientDataActions: config.actions.INSUFFICIENT_DATA,
      Trigger: 'metrics' in config ? triggerOf(config) : { AlarmRule: config.rule },
    });
    if (action.includes(':sns:')) {
      const subject = `${state}: "${config.name}" in ${region}`.slice(0, 100);
      this.targets.topics.publish(action, { subject, body });
    } else if (action.includes(':lambda:'))
      this.targets.functions.invoke(action, body).catch(() => {
        // Told by the function's own metrics and log.
      });
  }
}

function triggerOf({
  metrics,
  period,
  evaluationPeriods,
  datapointsToAlarm,
  threshold,
  comparison,
  treatMissingData,
}: AlarmConfig) {
  const query = metrics[0]?.query;
  return {
    ...(metrics.length === 1 && query !== undefined
      ? {
          MetricName: query.name,
          Namespace: query.namespace,
          Statistic: query.statistic.toUpperCase(),
          Dimensions: Object.entries(query.dimensions).map(([name, value]) => ({ name, value })),
        }
      : { Metrics: metrics.map(({ id, expression }) => ({ Id: id, Expression: expression })) }),
    Period: period,
    EvaluationPeriods: evaluationPeriods,
    DatapointsToAlarm: datapointsToAlarm,
    Threshold: threshold,
    ComparisonOperator: comparison,
    TreatMissingData: treatMissingData,
  };
}
