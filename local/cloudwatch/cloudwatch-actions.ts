import type { Environment } from '../gateway/service';
import { AlarmError, alarmConfigOf } from './alarm-config';
import type { Alarm, Alarms } from './alarms';
import { Datapoints } from './datapoints';
import { describeAlarm, describeChange } from './descriptions';
import type { MetricStore } from './metric-store';
import type { AlarmState } from './missing-data';
import { alarmArn, compositeConfigOf } from './providers';

type Json = Readonly<Record<string, unknown>>;
type Answer = Record<string, unknown>;

const STATES: readonly string[] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

/** Something that is asked for by name and does not exist. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Operations.html, the part that tools for queues use. */
export class CloudWatchActions {
  readonly dashboards = new Map<string, { readonly body: string; readonly at: number }>();
  private readonly datapoints: Datapoints;

  constructor(
    private readonly environment: Environment,
    store: MetricStore,
    private readonly alarms: Alarms,
  ) {
    this.datapoints = new Datapoints(environment.clock, store);
  }

  PutMetricData(given: Json): Answer {
    return this.datapoints.put(given);
  }

  GetMetricStatistics(given: Json): Answer {
    return this.datapoints.statistics(given);
  }

  GetMetricData(given: Json): Answer {
    return this.datapoints.data(given);
  }

  ListMetrics(given: Json): Answer {
    return this.datapoints.list(given);
  }

  PutMetricAlarm(given: Json): Answer {
    const name = this.nameOf(given);
    this.alarms.put(alarmConfigOf(given, name, this.arn(name)));
    return {};
  }

  PutCompositeAlarm(given: Json): Answer {
    const name = this.nameOf(given);
    this.alarms.put(compositeConfigOf(given, name, this.arn(name)));
    return {};
  }

  DeleteAlarms({ AlarmNames: names }: Json): Answer {
    const all = ((names ?? []) as string[]).map((name) => this.alarm(name));
    for (const { config } of all) this.alarms.all.delete(config.name);
    return {};
  }

  DescribeAlarms({
    AlarmNames: names,
    AlarmNamePrefix: prefix,
    StateValue: state,
    AlarmTypes: types,
  }: Json): Answer {
    const found = [...this.alarms.all.values()].filter(
      (alarm) =>
        (names === undefined || (names as string[]).includes(alarm.config.name)) &&
        (prefix === undefined || alarm.config.name.startsWith(String(prefix))) &&
        (state === undefined || alarm.state === state),
    );
    const wanted = (types ?? ['MetricAlarm']) as string[];
    const named = types === undefined && names !== undefined;
    return {
      MetricAlarms: wanted.includes('MetricAlarm')
        ? found.filter(({ config }) => 'metrics' in config).map(describeAlarm)
        : [],
      CompositeAlarms:
        named || wanted.includes('CompositeAlarm')
          ? found.filter(({ config }) => 'rule' in config).map(describeAlarm)
          : [],
    };
  }

  DescribeAlarmsForMetric({ Namespace: namespace, MetricName: name }: Json): Answer {
    const found = [...this.alarms.all.values()].filter(
      ({ config }) =>
        'metrics' in config &&
        config.metrics.some(({ query }) => query?.namespace === namespace && query?.name === name),
    );
    return { MetricAlarms: found.map(describeAlarm) };
  }

  DescribeAlarmHistory({
    AlarmName: name,
    HistoryItemType: type,
    MaxRecords: most,
    ScanBy: order,
  }: Json): Answer {
    if (type !== undefined && type !== 'StateUpdate') return { AlarmHistoryItems: [] };
    const changes = this.alarms.changes.filter((change) => name === undefined || change.name === name);
    if (order !== 'TimestampAscending') changes.reverse();
    return { AlarmHistoryItems: changes.slice(0, Number(most ?? 100)).map(describeChange) };
  }

  SetAlarmState({ AlarmName: name, StateValue: state, StateReason: reason }: Json): Answer {
    if (!STATES.includes(String(state)))
      throw new AlarmError('StateValue', `'${String(state)}' is none of ${STATES.join(', ')}`);
    this.alarms.set(this.alarm(name), state as AlarmState, String(reason));
    return {};
  }

  EnableAlarmActions({ AlarmNames: names }: Json): Answer {
    return this.switchActions(names, true);
  }

  DisableAlarmActions({ AlarmNames: names }: Json): Answer {
    return this.switchActions(names, false);
  }

  PutDashboard({ DashboardName: name, DashboardBody: body }: Json): Answer {
    this.dashboards.set(String(name), { body: String(body), at: this.environment.clock.now() });
    return { DashboardValidationMessages: [] };
  }

  GetDashboard({ DashboardName: name }: Json): Answer {
    const dashboard = this.dashboards.get(String(name));
    if (dashboard === undefined) throw new NotFoundError(`Dashboard ${String(name)} does not exist`);
    return {
      DashboardArn: this.dashboardArn(String(name)),
      DashboardName: name,
      DashboardBody: dashboard.body,
    };
  }

  ListDashboards({ DashboardNamePrefix: prefix = '' }: Json): Answer {
    return {
      DashboardEntries: [...this.dashboards]
        .filter(([name]) => name.startsWith(String(prefix)))
        .map(([name, { body, at }]) => ({
          DashboardName: name,
          DashboardArn: this.dashboardArn(name),
          LastModified: at / 1000,
          Size: Buffer.byteLength(body),
        })),
    };
  }

  private switchActions(names: unknown, actionsEnabled: boolean): Answer {
    for (const name of names as string[]) {
      const alarm = this.alarm(name);
      alarm.config = { ...alarm.config, actionsEnabled };
    }
    return {};
  }

  private alarm(name: unknown): Alarm {
    const alarm = this.alarms.all.get(String(name));
    if (alarm === undefined) throw new NotFoundError(`Alarm ${String(name)} does not exist`);
    return alarm;
  }

  private nameOf({ AlarmName: name }: Json): string {
    if (typeof name === 'string' && name !== '') return name;
    throw new AlarmError('AlarmName', 'The parameter AlarmName is required.');
  }

  private arn(name: string): string {
    return alarmArn(this.environment.region, this.environment.account, name);
  }

  private dashboardArn(name: string): string {
    return `arn:aws:cloudwatch::${this.environment.account}:dashboard/${name}`;
  }
}
