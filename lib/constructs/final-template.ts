import { CfnResource, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { checkTemplate } from '../rules/rules';
import type { WiredConsumer } from './consumer-wiring';
import { functionBehind } from './function-behind';

/** Warnings of the rules that are errors where a queue is ours: whoever breaks them has gone round the construct. */
const STRICT: ReadonlySet<string> = new Set([
  'VISIBILITY_TOO_SHORT',
  'RECEIVE_COUNT_LOW',
  'RESERVE_WITHOUT_MAXIMUM',
  'FUNCTION_DEAD_LETTER_CONFIG',
  'CONSUMER_ON_DEAD_LETTER_QUEUE',
  'CONSUMER_SENDS_TO_SOURCE',
  'FILTER_DROPS',
  'DEAD_LETTER_CHAIN',
  'MESSAGE_SIZES_DIFFER',
  'ALLOW_POLICY_OPEN',
  'PLAIN_HTTP_ALLOWED',
]);

export interface FinalProblem {
  readonly rule: string;
  readonly text: string;
}

/**
 * The rules over what will be deployed of this queue: after aspects, overrides and other people's grants. Its resources,
 * those of its consumers, and their roles' policies are looked at; nothing else of the stack.
 */
export function finalTemplateProblems(
  queue: IConstruct,
  consumers: readonly WiredConsumer[],
): FinalProblem[] {
  const functions = consumers.flatMap(({ consumer }) => functionBehind(consumer) ?? []);
  const roots = [queue, ...functions, ...functions.flatMap(({ role }) => role ?? [])];
  const stack = Stack.of(queue);
  const resources = new Set(
    roots
      .flatMap((root) => root.node.findAll())
      .filter((each): each is CfnResource => CfnResource.isCfnResource(each)),
  );
  const template = { Resources: {} as Record<string, unknown> };
  const paths = new Map<string, string>();
  for (const resource of resources) {
    // What another stack makes is checked there; references to it are tokens here.
    if (resource.stack !== stack || resource.cfnResourceType === 'AWS::CloudWatch::Alarm') continue;
    Object.assign(template.Resources, resolved(resource));
    paths.set(String(stack.resolve(resource.logicalId)), resource.node.path.replace(/\/Resource$/, ''));
  }
  const problems = checkTemplate(template)
    .filter(({ rule }) => rule.severity === 'error' || STRICT.has(rule.id))
    .map(({ rule, logicalId, property, message }) => ({
      rule: rule.id,
      text: `${rule.id}: ${paths.get(logicalId) ?? logicalId}: ${property}: ${message}: ${rule.what}; ${rule.remedy}`,
    }));
  return problems;
}

/** As synthesis renders it; the method is public but not in the declarations. */
function resolved(resource: CfnResource): Record<string, unknown> {
  const { Resources } = resource.stack.resolve(
    (resource as unknown as { _toCloudFormation(): object })._toCloudFormation(),
  ) as { readonly Resources?: Record<string, unknown> };
  return Resources ?? {};
}
