export type Pattern = Readonly<Record<string, unknown>>;

/**
 * Whether an event has what the pattern asks for.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 */
export function matches(pattern: Pattern, value: unknown): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    if (key === '$or') return (expected as Pattern[]).some((choice) => matches(choice, value));
    const found = (value as Record<string, unknown> | null)?.[key];
    return Array.isArray(expected)
      ? matchesValue(expected, found)
      : typeof found === 'object' && found !== null && matches(expected as Pattern, found);
  });
}

/** Whether a value, or one of a list, is among the allowed ones. */
export function matchesValue(allowed: readonly unknown[], found: unknown): boolean {
  const values = Array.isArray(found) ? found : [found];
  return allowed.some((rule) =>
    typeof rule === 'object' && rule !== null
      ? matchesRule(rule as Record<string, unknown>, found, values)
      : values.some((value) => value === rule),
  );
}

function matchesRule(rule: Record<string, unknown>, found: unknown, values: readonly unknown[]): boolean {
  const texts = values.filter((value): value is string => typeof value === 'string');
  if ('exists' in rule) return rule['exists'] === (found !== undefined);
  if ('prefix' in rule) return texts.some((text) => text.startsWith(String(rule['prefix'])));
  if ('suffix' in rule) return texts.some((text) => text.endsWith(String(rule['suffix'])));
  if ('equals-ignore-case' in rule)
    return texts.some((text) => text.toLowerCase() === String(rule['equals-ignore-case']).toLowerCase());
  if ('anything-but' in rule) {
    const refused = [rule['anything-but']].flat();
    return found !== undefined && values.some((value) => !refused.includes(value));
  }
  if ('numeric' in rule) {
    const terms = rule['numeric'] as (string | number)[];
    return values.some((value) => typeof value === 'number' && withinTerms(value, terms));
  }
  return false;
}

function withinTerms(value: number, terms: readonly (string | number)[]): boolean {
  for (let index = 0; index < terms.length; index += 2) {
    const limit = Number(terms[index + 1]);
    const holds = {
      '=': value === limit,
      '<': value < limit,
      '<=': value <= limit,
      '>': value > limit,
      '>=': value >= limit,
    }[String(terms[index])];
    if (holds !== true) return false;
  }
  return true;
}
