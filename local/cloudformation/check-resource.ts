import type { Finding } from './finding';
import { intrinsicOf } from './intrinsic';
import type { ResourceProvider } from './resource-provider';
import {
  IGNORED_ATTRIBUTES,
  IGNORED_TYPES,
  NESTED_STACK,
  NESTED_STACK_PROPERTIES,
  refusalOf,
  SILENT_ATTRIBUTES,
} from './resource-types';
import type { Scope } from './scope';
import { dependsOn, isRecord, type TemplateResource, typeOf } from './template';

type Found = Pick<Finding, 'path' | 'message'>;

/** What is wrong with one resource, apart from what its properties refer to. */
export function checkResource(
  resource: TemplateResource,
  { active, scope, provider }: { active: boolean; scope: Scope; provider: ResourceProvider | undefined },
): Found[] {
  const { template } = scope;
  const found: Found[] = [];
  for (const attribute of Object.keys(resource))
    if (!SILENT_ATTRIBUTES.has(attribute) && IGNORED_ATTRIBUTES[attribute] === undefined)
      found.push({ path: attribute, message: 'this resource attribute is not emulated' });
  for (const name of dependsOn(resource))
    if (template.Resources?.[name] === undefined)
      found.push({ path: 'DependsOn', message: `there is no resource '${name}'` });
  const { Condition: condition } = resource;
  if (
    condition !== undefined &&
    (typeof condition !== 'string' || template.Conditions?.[condition] === undefined)
  )
    found.push({ path: 'Condition', message: `there is no condition '${String(condition)}'` });
  if (!active) return found;

  const type = typeOf(resource);
  if (IGNORED_TYPES[type] !== undefined) return found;
  const properties = resource.Properties ?? {};
  const known = type === NESTED_STACK ? new Set(Object.keys(NESTED_STACK_PROPERTIES)) : namesOf(provider);
  if (known === undefined) found.push({ message: refusalOf(type) });
  else if (!isRecord(properties) || intrinsicOf(properties) !== undefined)
    found.push({ path: 'Properties', message: 'must be an object' });
  else
    for (const [name, value] of Object.entries(properties))
      if (!known.has(name) && !name.startsWith('Fn::') && !isAbsent(value, scope))
        found.push({ path: `Properties.${name}`, message: 'this property is not emulated' });
  return found;
}

function namesOf(provider: ResourceProvider | undefined): ReadonlySet<string> | undefined {
  if (provider === undefined) return undefined;
  const ignored = Object.keys(provider.ignored ?? {}).filter((path) => !path.includes('.'));
  return new Set([...provider.emulated, ...ignored]);
}

/** Whether a value is AWS::NoValue in the branch that will be taken, as far as its condition is known. */
function isAbsent(value: unknown, scope: Scope): boolean {
  const intrinsic = intrinsicOf(value);
  if (intrinsic?.name === 'Ref') return intrinsic.argument === 'AWS::NoValue';
  if (intrinsic?.name !== 'Fn::If' || !Array.isArray(intrinsic.argument)) return false;
  const [condition, then, otherwise] = intrinsic.argument;
  const outcome = scope.conditions.get(String(condition));
  return outcome !== undefined && isAbsent(outcome ? then : otherwise, scope);
}
