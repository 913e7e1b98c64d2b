import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';
import type { Iam } from './iam';

interface Use {
  readonly path: readonly string[];
  readonly principal: string;
}

/** Where a resource names the role that its service takes on. */
const USES: Readonly<Record<string, Use>> = {
  'AWS::Lambda::Function': { path: ['Role'], principal: 'lambda.amazonaws.com' },
  'AWS::StepFunctions::StateMachine': { path: ['RoleArn'], principal: 'states.amazonaws.com' },
  'AWS::Scheduler::Schedule': { path: ['Target', 'RoleArn'], principal: 'scheduler.amazonaws.com' },
  'AWS::Events::Rule': { path: ['Targets', 'RoleArn'], principal: 'events.amazonaws.com' },
};

/** Refuses a resource whose service may not take its role on, as AWS does when it creates one. */
export function withTrustCheck(provider: ResourceProvider, iam: Iam): ResourceProvider {
  const use = USES[provider.type];
  if (use === undefined) return provider;
  return {
    ...provider,
    create: (resource) => {
      for (const role of valuesAt(resource.properties, use.path)) {
        const property = use.path.join('.');
        if (!iam.hasRole(role))
          throw new ResourceError(property, `there is no role ${role} in the deployed stacks`);
        if (!iam.trusts(role, use.principal))
          throw new ResourceError(property, `the role ${role} does not trust ${use.principal}`);
      }
      return provider.create(resource);
    },
  };
}

function valuesAt(value: unknown, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  const [key, ...rest] = path;
  if (key === undefined) return value === undefined ? [] : [String(value)];
  return typeof value === 'object' && value !== null
    ? valuesAt((value as Record<string, unknown>)[key], rest)
    : [];
}
