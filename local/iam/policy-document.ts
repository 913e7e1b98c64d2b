import { ResourceError } from '../cloudformation/resource-provider';
import { isOperator } from './condition-operators';

/** One statement with every list written out. */
export interface Statement {
  readonly sid: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  /** The actions are those that the statement is not about. */
  readonly notActions: boolean;
  readonly resources: readonly string[];
  readonly notResources: boolean;
  readonly conditions: readonly Condition[];
  /** Who, in a trust policy: `Service:lambda.amazonaws.com`, `AWS:*`. */
  readonly principals: readonly string[];
}

export interface Condition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly string[];
}

type Kind = 'identity' | 'trust';

const KEYS: ReadonlySet<string> = new Set([
  'Sid',
  'Effect',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
  'Principal',
]);

/**
 * Reads a policy document. Throws a ResourceError with the path of what is wrong.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
 */
export function statementsOf(document: unknown, path: string, kind: Kind = 'identity'): Statement[] {
  if (!isRecord(document)) throw new ResourceError(path, 'must be a policy document');
  const list = [document['Statement']].flat();
  return list.map((statement, index) => statementOf(statement, index, `${path}.Statement[${index}]`, kind));
}

function statementOf(statement: unknown, index: number, path: string, kind: Kind): Statement {
  if (!isRecord(statement)) throw new ResourceError(path, 'must be a statement');
  for (const key of Object.keys(statement))
    if (!KEYS.has(key) || (kind === 'identity' && key === 'Principal'))
      throw new ResourceError(`${path}.${key}`, `has no place in a statement of this policy`);
  const { Effect: effect } = statement;
  if (effect !== 'Allow' && effect !== 'Deny')
    throw new ResourceError(`${path}.Effect`, 'must be Allow or Deny');
  const [actions, notActions] = either(statement, 'Action', path);
  const [resources, notResources] = kind === 'trust' ? [['*'], false] : either(statement, 'Resource', path);
  return {
    sid: typeof statement['Sid'] === 'string' ? statement['Sid'] : `#${index}`,
    effect,
    actions,
    notActions,
    resources,
    notResources,
    conditions: conditionsOf(statement['Condition'], `${path}.Condition`),
    principals: kind === 'trust' ? principalsOf(statement['Principal'], `${path}.Principal`) : [],
  };
}

function either(
  statement: Readonly<Record<string, unknown>>,
  key: 'Action' | 'Resource',
  path: string,
): [readonly string[], boolean] {
  const negative = `Not${key}`;
  const positive = statement[key] !== undefined;
  if (positive === (statement[negative] !== undefined))
    throw new ResourceError(path, `needs either ${key} or ${negative}`);
  const name = positive ? key : negative;
  return [strings(statement[name], `${path}.${name}`), !positive];
}

function conditionsOf(block: unknown, path: string): Condition[] {
  if (block === undefined) return [];
  if (!isRecord(block)) throw new ResourceError(path, 'must be an object');
  return Object.entries(block).flatMap(([operator, keys]) => {
    if (!isOperator(operator))
      throw new ResourceError(`${path}.${operator}`, 'there is no such condition operator');
    if (!isRecord(keys)) throw new ResourceError(`${path}.${operator}`, 'must be an object');
    return Object.entries(keys).map(([key, values]) => ({
      operator,
      key: key.toLowerCase(),
      values: strings(values, `${path}.${operator}.${key}`),
    }));
  });
}

function principalsOf(principal: unknown, path: string): string[] {
  if (principal === '*') return ['AWS:*'];
  if (!isRecord(principal)) throw new ResourceError(path, 'must be * or an object');
  return Object.entries(principal).flatMap(([kind, names]) =>
    strings(names, `${path}.${kind}`).map((name) => `${kind}:${name}`),
  );
}

function strings(value: unknown, path: string): string[] {
  return [value].flat().map((item) => {
    if (typeof item === 'string') return item;
    if (typeof item === 'number' || typeof item === 'boolean') return String(item);
    throw new ResourceError(path, 'must be a string or a list of strings');
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
