export type Pattern = Readonly<Record<string, unknown>>;

/** A pattern that is none, or asks for what is not emulated. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

type Rule = Readonly<Record<string, unknown>>;
type Test = (value: unknown, operand: unknown) => boolean;

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html, without `cidr` */
const TESTS: Readonly<Record<string, Test>> = {
  prefix: (value, operand) => onText(value, operand, (text, start) => text.startsWith(start)),
  suffix: (value, operand) => onText(value, operand, (text, end) => text.endsWith(end)),
  wildcard: (value, operand) => typeof value === 'string' && wildcard(String(operand)).test(value),
  'equals-ignore-case': (value, operand) =>
    typeof value === 'string' && value.toLowerCase() === String(operand).toLowerCase(),
  numeric: (value, operand) => typeof value === 'number' && within(value, operand as (string | number)[]),
  'anything-but': (value, operand) => value !== undefined && !isRefused(value, operand),
  exists: (value, operand) => operand === (value !== undefined),
};

/** Throws a PatternError for what `matches` could not judge, so that no rule is silently deaf. */
export function checkPattern(pattern: unknown): void {
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern))
    throw new PatternError('an event pattern is an object');
  if (Object.keys(pattern).length === 0) throw new PatternError('an event pattern has at least one field');
  for (const [key, expected] of Object.entries(pattern)) {
    if (key === '$or' && Array.isArray(expected)) for (const choice of expected) checkPattern(choice);
    else if (!Array.isArray(expected)) {
      if (typeof expected !== 'object' || expected === null)
        throw new PatternError(`'${key}' must be an object or an array, such as ["value"]`);
      checkPattern(expected);
    } else for (const rule of expected) checkRule(key, rule);
  }
}

function checkRule(key: string, rule: unknown): void {
  if (typeof rule !== 'object' || rule === null) return;
  const [operator = '', ...others] = Object.keys(rule);
  if (others.length > 0 || !(operator in TESTS))
    throw new PatternError(
      `'${key}' has ${Object.keys(rule).join(' and ')}, which is not emulated; one of ${Object.keys(TESTS).join(', ')} is`,
    );
  const operand = (rule as Rule)[operator];
  if (operator === 'numeric' && !isNumeric(operand))
    throw new PatternError(`'${key}' has a numeric rule that is none; [">", 0, "<=", 5] is one`);
  if (operator === 'anything-but' && typeof operand === 'object' && !Array.isArray(operand))
    checkRule(key, operand);
}

/** Whether an event has what the pattern asks for. */
export function matches(pattern: Pattern, value: unknown): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    if (key === '$or') return (expected as Pattern[]).some((choice) => matches(choice, value));
    const found = fieldOf(value, key);
    if (Array.isArray(expected)) return matchesValue(expected, found);
    const inner = expected as Pattern;
    return Array.isArray(found) ? found.some((one) => matches(inner, one)) : matches(inner, found);
  });
}

/** Whether a value, or one of a list, is among the allowed ones. */
export function matchesValue(allowed: readonly unknown[], found: unknown): boolean {
  return allowed.some((rule) => anyMatches(rule, found));
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Of a list, one value is enough. */
function anyMatches(rule: unknown, found: unknown): boolean {
  const isRule = typeof rule === 'object' && rule !== null;
  if (isRule && 'exists' in rule) return TESTS['exists']?.(found, rule.exists) === true;
  const values: unknown[] = Array.isArray(found) ? found : [found];
  if (!isRule) return values.includes(rule);
  const [[operator = '', operand] = []] = Object.entries(rule as Rule);
  return values.some((value) => TESTS[operator]?.(value, operand) === true);
}

/** A text, or `{"equals-ignore-case": text}`. */
function onText(value: unknown, operand: unknown, test: (text: string, part: string) => boolean): boolean {
  if (typeof value !== 'string') return false;
  if (typeof operand !== 'object' || operand === null) return test(value, String(operand));
  return test(value.toLowerCase(), String((operand as Rule)['equals-ignore-case']).toLowerCase());
}

/** Values, or an operator with one text or several. */
function isRefused(value: unknown, operand: unknown): boolean {
  if (typeof operand !== 'object' || operand === null || Array.isArray(operand))
    return [operand].flat().includes(value);
  const [[operator = '', inner] = []] = Object.entries(operand as Rule);
  return [inner].flat().some((one) => TESTS[operator]?.(value, one) === true);
}

/** `*` stands for any text; a backslash takes its meaning away. */
function wildcard(text: string): RegExp {
  const source = text.replace(/\\([*\\])|\*|[.+?^${}()|[\]\\/]/g, (found, escaped: string | undefined) =>
    escaped !== undefined ? `\\${escaped}` : found === '*' ? '.*' : `\\${found}`,
  );
  return new RegExp(`^${source}$`, 's');
}

const COMPARISONS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '=': (value, limit) => value === limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
};

function isNumeric(operand: unknown): boolean {
  return (
    Array.isArray(operand) &&
    [2, 4].includes(operand.length) &&
    operand.every((part, index) => (index % 2 === 0 ? String(part) in COMPARISONS : typeof part === 'number'))
  );
}

function within(value: number, terms: readonly (string | number)[]): boolean {
  return terms.every(
    (term, index) => index % 2 === 1 || COMPARISONS[String(term)]?.(value, Number(terms[index + 1])) === true,
  );
}
