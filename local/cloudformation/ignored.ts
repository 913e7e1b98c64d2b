import type { NotEmulated } from './finding';
import type { ResourceProvider } from './resource-provider';
import { IGNORED_ATTRIBUTES, NESTED_STACK, NESTED_STACK_PROPERTIES } from './resource-types';
import { isRecord, type TemplateResource, typeOf } from './template';

/** What a resource asks for that has no effect here. */
export function ignoredIn(
  resource: TemplateResource,
  properties: Readonly<Record<string, unknown>>,
  provider: ResourceProvider | undefined,
): Pick<NotEmulated, 'property' | 'reason'>[] {
  const reasons: Readonly<Record<string, string | undefined>> =
    typeOf(resource) === NESTED_STACK ? NESTED_STACK_PROPERTIES : (provider?.ignored ?? {});
  const found = Object.entries(reasons).flatMap(([path, reason]) =>
    reason !== undefined && isPresent(properties, path.split('.')) ? [{ property: path, reason }] : [],
  );
  for (const [attribute, reason] of Object.entries(IGNORED_ATTRIBUTES))
    if (resource[attribute] !== undefined) found.push({ property: attribute, reason });
  return found;
}

/** Paths go through lists without naming an index. */
function isPresent(value: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return value !== undefined;
  if (Array.isArray(value)) return value.some((item) => isPresent(item, path));
  return isRecord(value) && key in value && isPresent(value[key], rest);
}
