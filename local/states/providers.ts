import { readFileSync } from 'node:fs';
import {
  type CreatedResource,
  ResourceError,
  type ResourceProvider,
  type ResourceRequest,
} from '../cloudformation/resource-provider';
import { InvalidDefinition } from './definition';
import type { Machines } from './machines';

export function statesProviders(machines: Machines): ResourceProvider[] {
  return [
    {
      type: 'AWS::StepFunctions::StateMachine',
      emulated: [
        ...['StateMachineName', 'StateMachineType', 'RoleArn', 'DefinitionString', 'Definition'],
        ...['DefinitionSubstitutions', 'DefinitionS3Location', 'Tags'],
      ],
      ignored: {
        LoggingConfiguration: 'the history says all',
        TracingConfiguration: 'there is no X-Ray here',
        EncryptionConfiguration: 'nothing is encrypted at rest here',
      },
      create: (resource) => createMachine(machines, resource),
    },
  ];
}

async function createMachine(machines: Machines, resource: ResourceRequest): Promise<CreatedResource> {
  const { properties, generatedName } = resource;
  const name = String(properties['StateMachineName'] ?? generatedName.slice(0, 80));
  try {
    const { arn } = await machines.put(name, {
      text: definitionOf(resource),
      roleArn: String(properties['RoleArn']),
      type: properties['StateMachineType'] === 'EXPRESS' ? 'EXPRESS' : 'STANDARD',
    });
    for (const { Key, Value } of (properties['Tags'] ?? []) as { Key: string; Value: string }[])
      machines.tagsOf(arn).set(Key, Value);
    return { ref: arn, attributes: { Arn: arn, Name: name, StateMachineRevisionId: 'INITIAL' } };
  } catch (error) {
    if (error instanceof InvalidDefinition) throw new ResourceError('DefinitionString', error.message);
    throw error;
  }
}

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-stepfunctions-statemachine.html */
function definitionOf({ properties, asset }: ResourceRequest): string {
  const { DefinitionString: text, Definition: object, DefinitionS3Location: location } = properties;
  let definition: string;
  if (typeof text === 'string') definition = text;
  else if (object !== undefined) definition = JSON.stringify(object);
  else if (location !== undefined) {
    const { Bucket: bucket, Key: key } = location as { Bucket?: unknown; Key?: unknown };
    definition = readFileSync(asset(String(bucket), String(key)), 'utf8');
  } else
    throw new ResourceError(
      'DefinitionString',
      'one of DefinitionString, Definition and DefinitionS3Location is needed',
    );
  const substitutions = (properties['DefinitionSubstitutions'] ?? {}) as Record<string, unknown>;
  return definition.replace(/\$\{([A-Za-z0-9_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(substitutions, name) ? String(substitutions[name]) : whole,
  );
}
