import { ResourceError } from './resource-provider';

type Properties = Readonly<Record<string, unknown>>;

/**
 * CloudFormation converts between strings, numbers and booleans where a property wants another one; these readers
 * do the same, and refuse with the property's path what can't be converted. Absent stays undefined.
 */
export function asString(properties: Properties, property: string, path = property): string | undefined {
  const value = properties[property];
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ResourceError(path, `must be a string, but is ${kind(value)}`);
}

export function asNumber(properties: Properties, property: string, path = property): number | undefined {
  const value = properties[property];
  if (value === undefined || typeof value === 'number') return value;
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value);
  throw new ResourceError(path, `must be a number, but is ${kind(value)}`);
}

export function asBoolean(properties: Properties, property: string, path = property): boolean | undefined {
  const value = properties[property];
  if (value === undefined || typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new ResourceError(path, `must be true or false, but is ${kind(value)}`);
}

/** A single value is taken as a list of one, as CloudFormation does. */
export function asList(properties: Properties, property: string): readonly unknown[] | undefined {
  const value = properties[property];
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value : [value];
}

export function asRecord(properties: Properties, property: string, path = property): Properties | undefined {
  const value = properties[property];
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Properties;
  throw new ResourceError(path, `must be an object, but is ${kind(value)}`);
}

export function required<T>(value: T | undefined, path: string): T {
  if (value === undefined) throw new ResourceError(path, 'is required');
  return value;
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string'
    ? JSON.stringify(value)
    : typeof value === 'object'
      ? 'an object'
      : String(value);
}
