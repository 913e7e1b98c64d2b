import { matches, matchesValue, type Pattern } from '../gateway/event-pattern';

/** Whether the message passes one of the filters; without filters everything does. */
export function passesFilters(filters: readonly string[], body: string): boolean {
  if (filters.length === 0) return true;
  return filters.some((filter) => {
    const { body: pattern } = JSON.parse(filter) as { body?: unknown };
    if (pattern === undefined) return true;
    if (Array.isArray(pattern)) return matchesValue(pattern, body);
    try {
      return matches(pattern as Pattern, JSON.parse(body));
    } catch {
      // A pattern for JSON on a body that is none: dropped, as AWS does.
      return false;
    }
  });
}
