import type { Environment } from '../gateway/service';
import { type AlarmState, valuesOf } from './alarm';
import { AlarmError, alarmConfigOf, dimensionsOf, queryOf } from './alarm-config';
import type { Alarm, Alarms } from './alarms';
import { pointsOf } from './metric-math';
import type { MetricStore } from './metric-store';

type Json = Readonly<Record<string, unknown>>;
type Answer = Record<string, unknown>;

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Operations.html, the part that tools for queues use. */
export class CloudWatchActions {
  readonly dashboards = new Map<string, string>();

  constructor(
    private readonly environment: Environment,
    private readonly store: MetricStore,
    private readonly alarms: Alarms,
  ) {}

  PutMetricData({ Namespace: namespace, MetricData: data }: Json): Answer {
    for (const datum of (data ?? []) as Json[]) {
      const at = datum['Timestamp'] === undefined ? this.environment.clock.now() : timeOf(datum['Timestamp']);
      const values = (datum['Values'] as number[] | undefined) ?? [Number(datum['Value'])];
      const counts = datum['Counts'] as number[] | undefined;
      values.forEach((value, index) => {
        for (let repeat = 0; repeat < (counts?.[index] ?? 1); repeat++)
          this.store.putAt(
            {
              namespace: String(namespace),
              name: String(datum['MetricName']),
              dimensions: dimensionsOf(datum['Dimensions']),
              value,
            },
            at,
          );
      });
    }
    return {};
  }

  GetMetricStatistics(given: Json): Answer {
    const period = Number(given['Period']);
    const from = aligned(timeOf(given['StartTime']), period);
    const until = timeOf(given['EndTime']);
    const statistics = [
      ...((given['Statistics'] ?? []) as string[]),
      ...((given['ExtendedStatistics'] ?? []) as string[]),
    ];
    const points = new Map<number, Answer>();
    for (const statistic of statistics) {
      const values = this.store.values(
        {
          namespace: String(given['Namespace']),
          name: String(given['MetricName']),
          dimensions: dimensionsOf(given['Dimensions']),
          statistic,
          period,
        },
        from,
        until,
      );
      values.forEach((value, index) => {
        if (value === undefined) return;
        const at = from + index * period * 1000;
        const point = points.get(at) ?? { Timestamp: at / 1000, Unit: 'None' };
        if (/^p\d/.test(statistic))
          point['ExtendedStatistics'] = { ...(point['ExtendedStatistics'] as object), [statistic]: value };
        else point[statistic] = value;
        points.set(at, point);
      });
    }
    return { Label: given['MetricName'], Datapoints: [...points.values()] };
  }

  GetMetricData(given: Json): Answer {
    const queries = (given['MetricDataQueries'] as Json[]).map(queryOf);
    const period = queries.find(({ query }) => query !== undefined)?.query?.period ?? 60;
    const from = aligned(timeOf(given['StartTime']), period);
    const until = timeOf(given['EndTime']);
    const values = valuesOf(
      queries,
      this.store,
      from,
      from + Math.ceil((until - from) / (period * 1000)) * period * 1000,
      period,
    );
    const length = Math.ceil((until - from) / (period * 1000));
    return {
      MetricDataResults: queries
        .filter(({ returnData }) => returnData)
        .map(({ id }) => {
          const present = pointsOf(values.resolve(id), length)
            .map((value, index) => ({ value, at: (from + index * period * 1000) / 1000 }))
            .filter(({ value }) => value !== undefined);
          if (given['ScanBy'] !== 'TimestampAscending') present.reverse();
          return {
            Id: id,
            Label: id,
            Timestamps: present.map(({ at }) => at),
            Values: present.map(({ value }) => value),
            StatusCode: 'Complete',
          };
        }),
    };
  }

  ListMetrics({ Namespace: namespace, MetricName: name, Dimensions: dimensions }: Json): Answer {
    const asked = (dimensions ?? []) as { Name: string; Value?: string }[];
    const found = this.store
      .list()
      .filter(
        (series) =>
          (namespace === undefined || series.namespace === namespace) &&
          (name === undefined || series.name === name) &&
          asked.every(
            ({ Name, Value }) =>
              Name in series.dimensions && (Value === undefined || series.dimensions[Name] === Value),
          ),
      );
    return {
      Metrics: found.map((series) => ({
        Namespace: series.namespace,
        MetricName: series.name,
        Dimensions: Object.entries(series.dimensions).map(([Name, Value]) => ({ Name, Value })),
      })),
    };
  }

  PutMetricAlarm(given: Json): Answer {
    const name = String(given['AlarmName']);
    const { region, account } = this.environment;
    this.alarms.put(alarmConfigOf(given, name, `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`));
    return {};
  }

  DeleteAlarms({ AlarmNames: names }: Json): Answer {
    for (const name of names as string[]) this.alarms.all.delete(name);
    return {};
  }

  DescribeAlarms({ AlarmNames: names, AlarmNamePrefix: prefix, StateValue: state }: Json): Answer {
    const found = [...this.alarms.all.values()].filter(
      (alarm) =>
        (names === undefined || (names as string[]).includes(alarm.config.name)) &&
        (prefix === undefined || alarm.config.name.startsWith(String(prefix))) &&
        (state === undefined || alarm.state === state),
    );
    return {
      MetricAlarms: found.filter(({ config }) => 'metrics' in config).map(describe),
      CompositeAlarms: found.filter(({ config }) => 'rule' in config).map(describe),
    };
  }

  DescribeAlarmsForMetric({ Namespace: namespace, MetricName: name }: Json): Answer {
    const found = [...this.alarms.all.values()].filter(
      ({ config }) =>
        'metrics' in config &&
        config.metrics.some(({ query }) => query?.namespace === namespace && query?.name === name),
    );
    return { MetricAlarms: found.map(describe) };
  }

  DescribeAlarmHistory({ AlarmName: name }: Json): Answer {
    const changes = this.alarms.changes.filter((change) => name === undefined || change.name === name);
    return {
      AlarmHistoryItems: [...changes].reverse().map(({ name: AlarmName, at, from, to, reason }) => ({
        AlarmName,
        Timestamp: at / 1000,
        HistoryItemType: 'StateUpdate',
        HistorySummary: `Alarm updated from ${from} to ${to}`,
        HistoryData: JSON.stringify({
          oldState: { stateValue: from },
          newState: { stateValue: to, stateReason: reason },
        }),
      })),
    };
  }

  SetAlarmState({ AlarmName: name, StateValue: state, StateReason: reason }: Json): Answer {
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
    this.dashboards.set(String(name), String(body));
    return { DashboardValidationMessages: [] };
  }

  GetDashboard({ DashboardName: name }: Json): Answer {
    const body = this.dashboards.get(String(name));
    if (body === undefined) throw new AlarmError('DashboardName', `Dashboard ${String(name)} does not exist`);
    return { DashboardName: name, DashboardBody: body };
  }

  ListDashboards(): Answer {
    return { DashboardEntries: [...this.dashboards.keys()].map((DashboardName) => ({ DashboardName })) };
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
    if (alarm === undefined) throw new AlarmError('AlarmName', `Alarm ${String(name)} does not exist`);
    return alarm;
  }
}

function describe({ config, state, reason, changedAt }: Alarm): Answer {
  return {
    AlarmName: config.name,
    AlarmArn: config.arn,
    AlarmDescription: config.description,
    ActionsEnabled: config.actionsEnabled,
    AlarmActions: config.actions.ALARM,
    OKActions: config.actions.OK,
    InsufficientDataActions: config.actions.INSUFFICIENT_DATA,
    StateValue: state,
    StateReason: reason,
    StateUpdatedTimestamp: changedAt / 1000,
    ...('metrics' in config
      ? {
          Period: config.period,
          EvaluationPeriods: config.evaluationPeriods,
          Threshold: config.threshold,
          ComparisonOperator: config.comparison,
          TreatMissingData: config.treatMissingData,
        }
      : { AlarmRule: config.rule }),
  };
}

function timeOf(value: unknown): number {
  return typeof value === 'number' ? value * 1000 : Date.parse(String(value));
}

function aligned(at: number, period: number): number {
  return Math.floor(at / (period * 1000)) * period * 1000;
}
