import { compile, expressionOf } from './expression';

/** Makes the error that names the state. */
export type Refuse = (why: string) => Error;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function checkKnown(value: unknown, allowed: readonly string[], what: string, refuse: Refuse): void {
  if (!isObject(value)) throw refuse(`${what} must be an object`);
  const unknown = Object.keys(value).find((field) => !allowed.includes(field) && field !== 'Comment');
  if (unknown !== undefined)
    throw refuse(`the field '${unknown}' does not belong to ${what}, or is not emulated`);
}

/** A whole number in the definition must be in its range; an expression is looked at when it has a value. */
export function checkNumber(
  value: unknown,
  [name, least, most]: readonly [name: string, least: number, most: number],
  refuse: Refuse,
): void {
  if (value === undefined || (typeof value === 'string' && expressionOf(value) !== undefined)) return;
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
    throw refuse(`${name} must be a whole number from ${least} to ${most} or a JSONata expression`);
}

/** Parses every expression in a field, so that a wrong one is found before anything runs. */
export function checkExpressions(value: unknown, refuse: Refuse): void {
  if (typeof value === 'string') {
    const expression = expressionOf(value);
    if (expression === undefined) {
      if (value.startsWith('{%') || value.endsWith('%}'))
        throw refuse(`INVALID_JSONATA_EXPRESSION: '${value}' must start with {% and end with %}`);
      return;
    }
    try {
      compile(expression);
    } catch (error) {
      const why = (error as { message?: string }).message ?? String(error);
      throw refuse(`INVALID_JSONATA_EXPRESSION: ${expression}: ${why}`);
    }
  } else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) checkExpressions(inner, refuse);
}

/** https://docs.aws.amazon.com/step-functions/latest/dg/workflow-variables.html#naming-variables */
export function checkAssign(assign: unknown, outer: ReadonlySet<string>, refuse: Refuse): void {
  if (assign === undefined) return;
  if (!isObject(assign)) throw refuse('Assign must be an object');
  for (const name of Object.keys(assign)) {
    if (!/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) || name.length > 80)
      throw refuse(`'${name}' is no name for a variable`);
    if (name === 'states') throw refuse(`the variable $states is reserved`);
    if (outer.has(name))
      throw refuse(`the variable $${name} belongs to an outer scope and can't be assigned here`);
  }
}

/** https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html#error-handling-retrying-after-an-error */
export function checkRetriers(retriers: unknown, refuse: Refuse): void {
  checkRules(retriers, 'Retry', refuse);
  for (const retrier of (retriers ?? []) as Record<string, unknown>[]) {
    const allowed = ['ErrorEquals', 'IntervalSeconds', 'MaxAttempts', 'BackoffRate', 'MaxDelaySeconds'];
    checkKnown(retrier, [...allowed, 'JitterStrategy'], 'a retrier', refuse);
    const number = (name: string, least: number, most: number, whole = true): void => {
      const value = retrier[name];
      if (value === undefined) return;
      if (typeof value !== 'number' || (whole && !Number.isInteger(value)) || value < least || value > most)
        throw refuse(`${name} of a retrier must be a number from ${least} to ${most}`);
    };
    number('IntervalSeconds', 1, 99_999_999);
    number('MaxAttempts', 0, 99_999_999);
    number('BackoffRate', 1, Number.MAX_VALUE, false);
    number('MaxDelaySeconds', 1, 31_622_399);
    if (Number(retrier['MaxDelaySeconds'] ?? Infinity) <= Number(retrier['IntervalSeconds'] ?? 1))
      throw refuse('MaxDelaySeconds of a retrier must be greater than its IntervalSeconds');
    if (!['FULL', 'NONE', undefined].includes(retrier['JitterStrategy'] as string | undefined))
      throw refuse('JitterStrategy of a retrier must be FULL or NONE');
  }
}

export function checkCatchers(catchers: unknown, outer: ReadonlySet<string>, refuse: Refuse): void {
  checkRules(catchers, 'Catch', refuse);
  for (const catcher of (catchers ?? []) as Record<string, unknown>[]) {
    checkKnown(catcher, ['ErrorEquals', 'Next', 'Output', 'Assign'], 'a catcher', refuse);
    if (typeof catcher['Next'] !== 'string') throw refuse('a catcher needs Next');
    checkAssign(catcher['Assign'], outer, refuse);
  }
}

/** What retriers and catchers have in common: names of errors, with States.ALL alone and at the end. */
function checkRules(rules: unknown, field: string, refuse: Refuse): void {
  if (rules === undefined) return;
  if (!Array.isArray(rules)) throw refuse(`${field} must be an array`);
  for (const [index, rule] of rules.entries()) {
    const names: unknown = isObject(rule) ? rule['ErrorEquals'] : undefined;
    if (!Array.isArray(names) || names.length === 0 || names.some((name) => typeof name !== 'string'))
      throw refuse(`each entry of ${field} needs ErrorEquals with at least one name`);
    if (names.includes('States.ALL') && (names.length > 1 || index < rules.length - 1))
      throw refuse(`States.ALL must stand alone and in the last entry of ${field}`);
  }
}
