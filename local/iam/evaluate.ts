import { conditionHolds } from './condition-operators';
import type { Statement } from './policy-document';
import { matchesWildcard } from './wildcard';

export interface Call {
  readonly action: string;
  readonly resource: string;
  /** Keys in lower case. */
  readonly context: ReadonlyMap<string, readonly string[]>;
}

/** Values of a policy variable that the request does not have match nothing. */
const UNMATCHABLE = '\u0000';

/** `${key}`, `${key, 'default'}` and the literals `${*}`, `${?}` and `${$}`. */
const VARIABLE = /\$\{([^}]*)\}/g;

export function isAbout(statement: Statement, action: string): boolean {
  return statement.actions.some((pattern) => matchesWildcard(pattern, action, true)) !== statement.notActions;
}

export function coversResource(statement: Statement, call: Call): boolean {
  const matched = statement.resources.some((pattern) =>
    matchesWildcard(substituted(pattern, call.context), call.resource),
  );
  return matched !== statement.notResources;
}

export function conditionsHold(statement: Statement, { context }: Call): boolean {
  return statement.conditions.every((condition) =>
    conditionHolds(
      { ...condition, values: condition.values.map((value) => substituted(value, context)) },
      context.get(condition.key),
    ),
  );
}

/** Whether the outcome of this statement depends on more than action and resource. */
export function looksAtContext(statement: Statement): boolean {
  return statement.conditions.length > 0 || statement.resources.some((pattern) => pattern.includes('${'));
}

function substituted(text: string, context: Call['context']): string {
  if (!text.includes('${')) return text;
  return text.replace(VARIABLE, (_whole, inner: string) => {
    if (inner === '*' || inner === '?' || inner === '$') return inner;
    const [key = '', fallback] = inner.split(',', 2);
    const values = context.get(key.trim().toLowerCase());
    return values?.[0] ?? fallback?.trim().replace(/^'|'$/g, '') ?? UNMATCHABLE;
  });
}
