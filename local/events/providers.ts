import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';
import { busArn, busOf } from './events-actions';
import type { Rules } from './rules';
import { readTarget, WrongRuleError } from './targets';

type Json = Readonly<Record<string, unknown>>;

export function eventsProviders(rules: Rules): ResourceProvider[] {
  return [
    {
      type: 'AWS::Events::Rule',
      emulated: [
        ...['Name', 'EventBusName', 'EventPattern', 'ScheduleExpression', 'State', 'Targets', 'Description'],
      ],
      ignored: {
        RoleArn: 'a target has a role of its own',
        'Targets.RetryPolicy': 'what fails goes to the dead-letter queue at once',
        Tags: 'tags of rules are not looked at',
      },
      create: ({ properties, generatedName }) => {
        const name = String(properties['Name'] ?? generatedName.slice(0, 64));
        const bus = busOf(properties['EventBusName']);
        try {
          const targets = ((properties['Targets'] ?? []) as Json[]).map(readTarget);
          const { arn } = rules.put(bus, name, properties, targets);
          return { ref: bus === 'default' ? name : `${bus}|${name}`, attributes: { Arn: arn } };
        } catch (error) {
          if (error instanceof WrongRuleError) throw new ResourceError(error.property, error.message);
          throw error;
        }
      },
    },
    {
      type: 'AWS::Events::EventBus',
      emulated: ['Name'],
      ignored: {
        Description: 'a text for people',
        Policy: 'services and roles of the account may put events as their own policies say',
        DeadLetterConfig:
          'there are no archives and other accounts here to which a bus could fail to deliver',
        EventSourceName: 'there are no partners here',
        KmsKeyIdentifier: 'encryption at rest does not change what a caller sees',
        LogConfig: 'events are events of the engine',
        Tags: 'tags of event buses are not looked at',
      },
      create: ({ properties, account, region }) => {
        const name = String(properties['Name']);
        rules.buses.add(name);
        return { ref: name, attributes: { Arn: busArn({ account, region }, name), Name: name, Policy: '' } };
      },
    },
    {
      type: 'AWS::Events::EventBusPolicy',
      emulated: [],
      ignored: Object.fromEntries(
        ['EventBusName', 'StatementId', 'Statement', 'Action', 'Principal', 'Condition'].map((name) => [
          name,
          'services and roles of the account may put events as their own policies say',
        ]),
      ),
      create: ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
    },
  ];
}
