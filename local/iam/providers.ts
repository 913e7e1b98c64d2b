import { asList, asString, required } from '../cloudformation/properties';
import {
  type CreatedResource,
  ResourceError,
  type ResourceProvider,
  type ResourceRequest,
} from '../cloudformation/resource-provider';
import { checkActionNames } from './action-names';
import { AWS_MANAGED_POLICIES, awsManagedName } from './managed-policies';
import { statementsOf } from './policy-document';
import type { AttachedPolicy, Roles } from './roles';

const TEXT_ONLY = 'a text for people';

export function iamProviders(roles: Roles): ResourceProvider[] {
  return [
    {
      type: 'AWS::IAM::Role',
      emulated: [
        'AssumeRolePolicyDocument',
        'ManagedPolicyArns',
        'Policies',
        'RoleName',
        'Path',
        'PermissionsBoundary',
      ],
      ignored: {
        Description: TEXT_ONLY,
        Tags: 'tags of roles are not looked at',
        MaxSessionDuration: 'the dummy keys of a role do not expire',
      },
      create: (resource) => createRole(roles, resource),
    },
    {
      type: 'AWS::IAM::Policy',
      emulated: ['PolicyName', 'PolicyDocument', 'Roles'],
      create: async ({ properties }) => {
        const name = required(asString(properties, 'PolicyName'), 'PolicyName');
        const policy = await attachable(name, properties['PolicyDocument'], 'PolicyDocument');
        for (const role of asList(properties, 'Roles') ?? []) roles.addInline(String(role), policy);
        return { ref: name, attributes: { Id: name } };
      },
    },
    {
      type: 'AWS::IAM::RolePolicy',
      emulated: ['PolicyName', 'PolicyDocument', 'RoleName'],
      create: async ({ properties }) => {
        const name = required(asString(properties, 'PolicyName'), 'PolicyName');
        const role = required(asString(properties, 'RoleName'), 'RoleName');
        roles.addInline(role, await attachable(name, properties['PolicyDocument'], 'PolicyDocument'));
        return { ref: name, attributes: {} };
      },
    },
    {
      type: 'AWS::IAM::ManagedPolicy',
      emulated: ['ManagedPolicyName', 'PolicyDocument', 'Roles', 'Path'],
      ignored: { Description: TEXT_ONLY },
      create: async ({ properties, account, generatedName }) => {
        const name = asString(properties, 'ManagedPolicyName') ?? generatedName;
        const arn = `arn:aws:iam::${account}:policy${asString(properties, 'Path') ?? '/'}${name}`;
        const policy = await attachable(name, properties['PolicyDocument'], 'PolicyDocument');
        roles.addManaged(arn, policy, (asList(properties, 'Roles') ?? []).map(String));
        return { ref: arn, attributes: { PolicyArn: arn, PolicyId: name } };
      },
    },
  ];
}

async function createRole(
  roles: Roles,
  { properties, account, generatedName }: ResourceRequest,
): Promise<CreatedResource> {
  const name = asString(properties, 'RoleName') ?? generatedName;
  const arn = `arn:aws:iam::${account}:role${asString(properties, 'Path') ?? '/'}${name}`;
  const trust = statementsOf(properties['AssumeRolePolicyDocument'], 'AssumeRolePolicyDocument', 'trust');
  const policies = await Promise.all(
    (asList(properties, 'Policies') ?? []).map((policy, index) => {
      const { PolicyName: policyName, PolicyDocument: document } = policy as Record<string, unknown>;
      return attachable(String(policyName), document, `Policies[${index}].PolicyDocument`);
    }),
  );
  const managedPolicyArns = (asList(properties, 'ManagedPolicyArns') ?? []).map(String);
  for (const each of managedPolicyArns) await requireManaged(roles, each, 'ManagedPolicyArns');
  const boundaryArn = asString(properties, 'PermissionsBoundary');
  if (boundaryArn !== undefined) await requireManaged(roles, boundaryArn, 'PermissionsBoundary');
  roles.addRole({
    arn,
    name,
    trust,
    policies,
    managedPolicyArns,
    ...(boundaryArn === undefined ? {} : { boundaryArn }),
  });
  return { ref: name, attributes: { Arn: arn, RoleId: `LOCAL${generatedName}` } };
}

async function attachable(name: string, document: unknown, path: string): Promise<AttachedPolicy> {
  const statements = statementsOf(document, path);
  await checkActionNames(document, path);
  return { name, statements, awsManaged: false };
}

async function requireManaged(roles: Roles, arn: string, property: string): Promise<void> {
  if (roles.hasManaged(arn)) return;
  const name = awsManagedName(arn);
  const document = name === undefined ? undefined : AWS_MANAGED_POLICIES[name];
  if (name === undefined) throw new ResourceError(property, `there is no managed policy ${arn}`);
  if (document === undefined)
    throw new ResourceError(
      property,
      `the AWS managed policy ${name} is not known here; known are ${Object.keys(AWS_MANAGED_POLICIES).join(', ')}`,
    );
  roles.addManaged(arn, { name, statements: statementsOf(document, property), awsManaged: true });
}
