const LONGEST = 64;

/**
 * A failure code from whatever was given: upper snake case, without ids and other numbers that would make each message
 * a cause of its own. `sku 4711 unknown` reads `SKU_UNKNOWN`.
 */
export function failureCode(text: unknown, otherwise = 'UNKNOWN_ERROR'): string {
  if (typeof text !== 'string') return otherwise;
  if (/^[A-Z][A-Z0-9_]{0,63}$/.test(text) && !/\d{5}/.test(text)) return text;
  const code = text
    .slice(0, 4 * LONGEST)
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/gi, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\d{4,}/g, ' ')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[_\d]+|_+$/g, '')
    .toUpperCase()
    .slice(0, LONGEST);
  return code === '' ? otherwise : code;
}
