import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';
import type { AlarmConfig } from './alarm';
import { AlarmError, alarmConfigOf } from './alarm-config';
import type { Alarms } from './alarms';

const COMMON = [
  'AlarmName',
  'AlarmDescription',
  'ActionsEnabled',
  'AlarmActions',
  'OKActions',
  'InsufficientDataActions',
];

export function cloudWatchProviders(alarms: Alarms, dashboards: Map<string, string>): ResourceProvider[] {
  return [
    {
      type: 'AWS::CloudWatch::Alarm',
      emulated: [
        ...COMMON,
        ...['Namespace', 'MetricName', 'Dimensions', 'Statistic', 'ExtendedStatistic', 'Period', 'Threshold'],
        ...[
          'ComparisonOperator',
          'EvaluationPeriods',
          'DatapointsToAlarm',
          'TreatMissingData',
          'Metrics',
          'ThresholdMetricId',
        ],
      ],
      ignored: {
        Unit: 'datapoints of one metric have one unit here',
        EvaluateLowSampleCountPercentile: 'percentiles are taken of what there is',
        Tags: 'tags of alarms are not looked at',
      },
      create: ({ properties, generatedName, account, region }) => {
        const name = String(properties['AlarmName'] ?? generatedName);
        const arn = `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
        alarms.put(configOf(properties, name, arn));
        return { ref: name, attributes: { Arn: arn } };
      },
    },
    {
      type: 'AWS::CloudWatch::CompositeAlarm',
      emulated: [...COMMON, 'AlarmRule'],
      ignored: {
        ActionsSuppressor: 'actions are not suppressed here',
        ActionsSuppressorWaitPeriod: 'actions are not suppressed here',
        ActionsSuppressorExtensionPeriod: 'actions are not suppressed here',
        Tags: 'tags of alarms are not looked at',
      },
      create: ({ properties, generatedName, account, region }) => {
        const name = String(properties['AlarmName'] ?? generatedName);
        const arn = `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
        const list = (key: string): string[] => ((properties[key] ?? []) as unknown[]).map(String);
        alarms.put({
          name,
          arn,
          rule: String(properties['AlarmRule']),
          actionsEnabled: String(properties['ActionsEnabled'] ?? true) === 'true',
          actions: {
            ALARM: list('AlarmActions'),
            OK: list('OKActions'),
            INSUFFICIENT_DATA: list('InsufficientDataActions'),
          },
          ...(properties['AlarmDescription'] === undefined
            ? {}
            : { description: String(properties['AlarmDescription']) }),
        });
        return { ref: name, attributes: { Arn: arn } };
      },
    },
    {
      type: 'AWS::CloudWatch::Dashboard',
      emulated: ['DashboardName', 'DashboardBody'],
      create: ({ properties, generatedName }) => {
        const name = String(properties['DashboardName'] ?? generatedName);
        dashboards.set(name, String(properties['DashboardBody']));
        return { ref: name, attributes: {} };
      },
    },
  ];
}

function configOf(properties: Readonly<Record<string, unknown>>, name: string, arn: string): AlarmConfig {
  try {
    return alarmConfigOf(properties, name, arn);
  } catch (error) {
    if (error instanceof AlarmError) throw new ResourceError(error.property, error.message);
    throw error;
  }
}
