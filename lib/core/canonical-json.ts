/** The same text for the same data: keys by code unit, arrays in their order. Throws on numbers that lost digits. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError('a number that JSON does not know');
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      throw new RangeError('a whole number beyond 2^53, which may stand for several; send it as text');
    return JSON.stringify(value);
  }
  if (Array.isArray(value))
    return `[${value.map((item) => canonicalJson(item === undefined ? null : item)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
