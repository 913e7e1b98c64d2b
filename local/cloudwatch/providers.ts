import {
  ResourceError,
  type ResourceProvider,
  type ResourceRequest,
} from '../cloudformation/resource-provider';
import { AlarmError, actionsOf, alarmConfigOf } from './alarm-config';
import type { Alarms, CompositeConfig } from './alarms';
import { parseRule, RuleError } from './composite-rule';

type Json = Readonly<Record<string, unknown>>;

const ACTIONS = [
  'AlarmName',
  'AlarmDescription',
  'ActionsEnabled',
  'AlarmActions',
  'OKActions',
  'InsufficientDataActions',
];
const METRIC = [
  ...['Namespace', 'MetricName', 'Dimensions', 'Statistic', 'ExtendedStatistic', 'Period', 'Threshold'],
  ...['ComparisonOperator', 'EvaluationPeriods', 'DatapointsToAlarm', 'TreatMissingData', 'Metrics'],
  'ThresholdMetricId',
];

export function cloudWatchProviders(
  alarms: Alarms,
  putDashboard: (name: string, body: string) => void,
): ResourceProvider[] {
  const alarm = (request: ResourceRequest, put: (name: string, arn: string) => void) => {
    const { properties, generatedName, account, region } = request;
    const name = String(properties['AlarmName'] ?? generatedName);
    const arn = alarmArn(region, account, name);
    try {
      put(name, arn);
    } catch (error) {
      if (error instanceof AlarmError) throw new ResourceError(error.property, error.message);
      throw error;
    }
    return { ref: name, attributes: { Arn: arn } };
  };
  return [
    {
      type: 'AWS::CloudWatch::Alarm',
      emulated: [...ACTIONS, ...METRIC],
      ignored: {
        Unit: 'datapoints of one metric have one unit here',
        EvaluateLowSampleCountPercentile: 'percentiles are taken of what there is',
        Tags: 'tags of alarms are not looked at',
      },
      create: (request) =>
        alarm(request, (name, arn) => alarms.put(alarmConfigOf(request.properties, name, arn))),
    },
    {
      type: 'AWS::CloudWatch::CompositeAlarm',
      emulated: [...ACTIONS, 'AlarmRule'],
      ignored: {
        ActionsSuppressor: 'actions are not suppressed here',
        ActionsSuppressorWaitPeriod: 'actions are not suppressed here',
        ActionsSuppressorExtensionPeriod: 'actions are not suppressed here',
        Tags: 'tags of alarms are not looked at',
      },
      create: (request) =>
        alarm(request, (name, arn) => alarms.put(compositeConfigOf(request.properties, name, arn))),
    },
    {
      type: 'AWS::CloudWatch::Dashboard',
      emulated: ['DashboardName', 'DashboardBody'],
      ignored: { Tags: 'tags of dashboards are not looked at' },
      create: ({ properties, generatedName }) => {
        const name = String(properties['DashboardName'] ?? generatedName);
        putDashboard(name, String(properties['DashboardBody']));
        return { ref: name, attributes: {} };
      },
    },
    {
      type: 'AWS::CloudWatch::AnomalyDetector',
      emulated: [],
      ignored: Object.fromEntries(
        [
          ...['Namespace', 'MetricName', 'Stat', 'Dimensions', 'Configuration', 'MetricCharacteristics'],
          ...['SingleMetricAnomalyDetector', 'MetricMathAnomalyDetector'],
        ].map((property) => [property, 'bands are made of past values, without a model that is trained']),
      ),
      create: ({ generatedName }) => ({ ref: generatedName, attributes: { Id: generatedName } }),
    },
  ];
}

export function compositeConfigOf(given: Json, name: string, arn: string): CompositeConfig {
  const rule = String(given['AlarmRule']);
  try {
    parseRule(rule);
  } catch (error) {
    if (error instanceof RuleError) throw new AlarmError('AlarmRule', error.message);
    throw error;
  }
  return { name, arn, rule, ...actionsOf(given) };
}

export function alarmArn(region: string, account: string, name: string): string {
  return `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
}
