const DEEPEST = 4;
const MOST_KEYS = 30;
const LONGEST = 1_000;

/** Names and types of a body without any value, for the group of a failure: `{"id":"string","items":[{"sku":"string"}]}`. */
export function bodyShape(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return '"text"';
  }
  const shape = JSON.stringify(shapeOf(value, 0));
  return shape.length <= LONGEST ? shape : `${shape.slice(0, LONGEST - 1)}…`;
}

function shapeOf(value: unknown, depth: number): unknown {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (depth === DEEPEST) return Array.isArray(value) ? 'array' : 'object';
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0], depth + 1)];
  const names = Object.keys(value).sort().slice(0, MOST_KEYS);
  // A key can be data as well: an e-mail address, an id.
  return Object.fromEntries(
    names.map((name) => [
      /^[A-Za-z_$][\w$.-]{0,40}$/.test(name) && !/\d{4,}/.test(name) ? name : '[key]',
      shapeOf((value as Record<string, unknown>)[name], depth + 1),
    ]),
  );
}
