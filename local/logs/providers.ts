import type { ResourceProvider } from '../cloudformation/resource-provider';
import { KEPT_LINES } from './log-group';
import { type MetricFilter, metricFilterOf } from './metric-filter';

export function logProviders(service: {
  group(name: string): unknown;
  addFilter(filter: MetricFilter): void;
}): ResourceProvider[] {
  return [
    {
      type: 'AWS::Logs::LogGroup',
      emulated: ['LogGroupName'],
      ignored: {
        RetentionInDays: `the last ${KEPT_LINES} lines are kept`,
        KmsKeyId: 'nothing is encrypted at rest here',
        LogGroupClass: 'a price class',
        DataProtectionPolicy: 'nothing is masked here',
        DeletionProtectionEnabled: 'log groups are not deleted here',
        Tags: 'tags of log groups are not looked at',
      },
      create: ({ properties, generatedName, account, region }) => {
        const name = String(properties['LogGroupName'] ?? generatedName);
        service.group(name);
        return { ref: name, attributes: { Arn: `arn:aws:logs:${region}:${account}:log-group:${name}:*` } };
      },
    },
    {
      type: 'AWS::Logs::MetricFilter',
      emulated: ['LogGroupName', 'FilterPattern', 'MetricTransformations', 'FilterName'],
      create: ({ properties, generatedName }) => {
        service.addFilter(metricFilterOf(properties));
        return { ref: String(properties['FilterName'] ?? generatedName), attributes: {} };
      },
    },
  ];
}
