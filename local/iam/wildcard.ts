const compiled = new Map<string, RegExp>();
const REMEMBERED = 5_000;

/** `*` is any run of characters, `?` any one. */
export function matchesWildcard(pattern: string, text: string, ignoreCase = false): boolean {
  if (pattern === '*' || pattern === text) return true;
  if (!ignoreCase && !pattern.includes('*') && !pattern.includes('?')) return false;
  const key = `${ignoreCase ? 'i' : 's'}${pattern}`;
  let expression = compiled.get(key);
  if (expression === undefined) {
    if (compiled.size >= REMEMBERED) compiled.clear();
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.');
    expression = new RegExp(`^${source}$`, ignoreCase ? 'is' : 's');
    compiled.set(key, expression);
  }
  return expression.test(text);
}

/**
 * ARNs are compared part by part, so that a wildcard does not reach over a colon before the resource.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
export function matchesArn(pattern: string, arn: string): boolean {
  const wanted = parts(pattern);
  const given = parts(arn);
  return (
    wanted.length === given.length && wanted.every((part, index) => matchesWildcard(part, given[index] ?? ''))
  );
}

function parts(arn: string): string[] {
  const all = arn.split(':');
  return all.length <= 6 ? all : [...all.slice(0, 5), all.slice(5).join(':')];
}
