import { matches, type Pattern } from '../gateway/event-pattern';
import type { QueueMessageAttribute } from '../gateway/ports';
import { invalid } from './sns-error';

const OPERATORS = ['prefix', 'suffix', 'equals-ignore-case', 'anything-but', 'numeric', 'exists'];

export type FilterPolicy = Pattern;

/**
 * Throws an SnsError for a policy that is no JSON, or has an operator that is not emulated.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
 */
export function parseFilterPolicy(text: string | undefined): FilterPolicy | undefined {
  if (text === undefined || text === '' || text === '{}') return undefined;
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch {
    throw invalid(`FilterPolicy: failed to parse JSON: ${text}`);
  }
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy))
    throw invalid('FilterPolicy: must be an object');
  check(policy as FilterPolicy);
  return policy as FilterPolicy;
}

function check(policy: FilterPolicy): void {
  for (const [key, rules] of Object.entries(policy)) {
    if (key === '$or' && Array.isArray(rules)) for (const choice of rules) check(choice as FilterPolicy);
    else if (Array.isArray(rules)) for (const rule of rules) checkRule(key, rule);
    else if (typeof rules === 'object' && rules !== null) check(rules as FilterPolicy);
    else throw invalid(`FilterPolicy: "${key}" must be an object or an array`);
  }
}

function checkRule(key: string, rule: unknown): void {
  if (typeof rule !== 'object' || rule === null) return;
  const [operator = '', ...others] = Object.keys(rule);
  if (others.length > 0 || !OPERATORS.includes(operator))
    throw invalid(
      `FilterPolicy: "${key}" has ${Object.keys(rule).join(' and ')}, which is not emulated; one of ${OPERATORS.join(', ')} is`,
    );
  const inner = (rule as Record<string, unknown>)['anything-but'];
  if (typeof inner === 'object' && !Array.isArray(inner))
    throw invalid(
      `FilterPolicy: "${key}" has anything-but with an operator, which is not emulated; values are`,
    );
}

/** Whether a message with these attributes, or this body, goes to the subscription. */
export function passesFilter(
  policy: FilterPolicy | undefined,
  scope: string | undefined,
  body: string,
  attributes: Readonly<Record<string, QueueMessageAttribute>>,
): boolean {
  if (policy === undefined) return true;
  if (scope !== 'MessageBody') return matches(policy, valuesOf(attributes));
  try {
    return matches(policy, JSON.parse(body));
  } catch {
    return false;
  }
}

function valuesOf(attributes: Readonly<Record<string, QueueMessageAttribute>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { dataType, stringValue = '' }]) => [
      name,
      dataType.startsWith('Number')
        ? Number(stringValue)
        : dataType === 'String.Array'
          ? JSON.parse(stringValue)
          : stringValue,
    ]),
  );
}
