/** Types that have nothing to do here, with the reason why that changes nothing. */
export const IGNORED_TYPES: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'tells AWS which construct libraries are in use',
};

/** Attributes beside Properties, with the reason why they can be left out. */
export const IGNORED_ATTRIBUTES: Readonly<Record<string, string>> = {
  CreationPolicy: 'nothing waits for signals here',
  UpdatePolicy: 'stacks are created, not updated, here',
};

/** Attributes that ask for nothing while a stack is created. */
export const SILENT_ATTRIBUTES: ReadonlySet<string> = new Set([
  'Type',
  'Properties',
  'DependsOn',
  'Condition',
  'Metadata',
  'DeletionPolicy',
  'UpdateReplacePolicy',
]);

export const NESTED_STACK = 'AWS::CloudFormation::Stack';

/** What a nested stack may say about itself, with the reason for what has no effect. */
export const NESTED_STACK_PROPERTIES: Readonly<Record<string, string | undefined>> = {
  TemplateURL: undefined,
  Parameters: undefined,
  NotificationARNs: 'stack events go to nobody here',
  TimeoutInMinutes: 'stacks are created at once here',
  Tags: 'tags have no effect on a stack',
};

export const KNOWN_SECTIONS: ReadonlySet<string> = new Set([
  'AWSTemplateFormatVersion',
  'Description',
  'Metadata',
  'Transform',
  'Parameters',
  'Mappings',
  'Conditions',
  'Resources',
  'Outputs',
  'Rules',
]);

export const RULES_REASON = 'rules look at the account (such as its bootstrap version), and there is none';

export function refusalOf(type: string): string {
  if (type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource')
    return 'custom resources are not emulated: their handlers talk to CloudFormation itself';
  return 'this resource type is not emulated';
}
