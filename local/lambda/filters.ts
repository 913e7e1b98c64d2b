import { checkPattern, matches, matchesValue, type Pattern, PatternError } from '../gateway/event-pattern';

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html and invocation-eventfiltering.html */
const MOST_FILTERS = 10;
const MOST_CHARACTERS = 4_096;

/**
 * What is wrong with the filters of a mapping on a queue; undefined when nothing is. An unknown operator is refused,
 * because a filter that never matches deletes every message.
 */
export function filterFault(filters: readonly string[]): string | undefined {
  if (filters.length > MOST_FILTERS)
    return `at most ${MOST_FILTERS} filters are allowed, and there are ${filters.length}`;
  for (const filter of filters) {
    if (filter.length > MOST_CHARACTERS)
      return `a pattern has at most ${MOST_CHARACTERS} characters, and one has ${filter.length}`;
    let pattern: unknown;
    try {
      pattern = JSON.parse(filter);
    } catch {
      return `Invalid filter pattern definition: ${filter}`;
    }
    if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern))
      return `Invalid filter pattern definition: ${filter}`;
    const wrong = Object.keys(pattern).find((key) => key !== 'body');
    if (wrong !== undefined)
      return `only 'body' can be filtered on a queue, and the pattern names '${wrong}'`;
    try {
      if (Object.keys(pattern).length > 0) checkPattern(pattern);
    } catch (error) {
      if (error instanceof PatternError) return `Invalid filter pattern definition: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}

/**
 * Whether a message passes one of the filters; without filters everything does. A pattern for JSON drops a plain
 * text, and a pattern for plain text drops JSON.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
 */
export function messageFilter(filters: readonly string[]): (body: string) => boolean {
  const patterns = filters.map((filter) => (JSON.parse(filter) as { body?: Pattern | unknown[] }).body);
  if (patterns.length === 0 || patterns.includes(undefined)) return () => true;
  return (body) => {
    const document = documentIn(body);
    return patterns.some((pattern) =>
      Array.isArray(pattern)
        ? document === undefined && matchesValue(pattern, body)
        : document !== undefined && matches(pattern as Pattern, document),
    );
  };
}

function documentIn(body: string): object | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
