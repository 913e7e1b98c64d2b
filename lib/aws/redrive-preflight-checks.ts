import { type CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { GetEventSourceMappingCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { PreflightCheck } from '../operations/preflight-run';

/** The checks that ask AWS; each can be overridden in the plan, with a reason. */
export function preflightChecks(
  lambda: LambdaClient,
  cloudWatch: CloudWatchClient,
): readonly PreflightCheck[] {
  return [
    {
      name: 'mapping-enabled',
      problem: async (_run, { mappingIds = [] }) => {
        for (const UUID of mappingIds) {
          const { State } = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
          if (State !== 'Enabled' && State !== 'Enabling' && State !== 'Updating')
            return `the consumer's event source mapping ${UUID} is ${State ?? 'gone'}; nothing would read what is sent`;
        }
        return undefined;
      },
    },
    {
      name: 'alarms-quiet',
      problem: async (_run, { alarmNames = [] }) => {
        if (alarmNames.length === 0) return undefined;
        const { MetricAlarms } = await cloudWatch.send(
          new DescribeAlarmsCommand({ AlarmNames: [...alarmNames], StateValue: 'ALARM' }),
        );
        const loud = (MetricAlarms ?? []).map(({ AlarmName }) => AlarmName);
        return loud.length === 0 ? undefined : `the source is in trouble: ${loud.join(', ')}`;
      },
    },
  ];
}
