import type { CreatedResource } from './resource-provider';
import type { Template } from './template';

/** What a value of one stack can refer to. */
export interface Scope {
  readonly template: Template;
  /** A parameter without an entry is known only when the stack is deployed. */
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly pseudo: Readonly<Record<string, string>>;
  /** A condition without an entry is known only when the stack is deployed. */
  readonly conditions: ReadonlyMap<string, boolean>;
  /** Resources created so far. */
  readonly resources: ReadonlyMap<string, CreatedResource>;
  /** Values exported so far, over all stacks. */
  readonly exports: ReadonlyMap<string, unknown>;
  /** Outputs so far by stack and name. */
  readonly outputs: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
}

/** Placeholder for a property that is not there. */
export const NO_VALUE = Symbol('AWS::NoValue');

export function pseudoParameters(account: string, region: string, stackName: string): Record<string, string> {
  return {
    'AWS::AccountId': account,
    'AWS::Region': region,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stackName,
    'AWS::StackId': stackArn(account, region, stackName),
  };
}

export function stackArn(account: string, region: string, stackName: string): string {
  return `arn:aws:cloudformation:${region}:${account}:stack/${stackName}/local`;
}
