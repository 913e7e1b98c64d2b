/** Fields that Step Functions turns from JSON into text by itself. */
const TEXT_FIELDS = new Set(['MessageBody', 'Message', 'Detail', 'Payload', 'Input']);
const TIME_FIELD = /(?:Time|Date|Timestamp)$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT/;
/** Fields whose keys are data of the caller, and are left as they are. */
const OPEN_MAPS = new Set(['Item', 'Key', 'ExpressionAttributeValues', 'ExpressionAttributeNames']);

/** Arguments of a state as an SDK client takes them. */
export function toSdk(value: unknown, lowerCase: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => toSdk(item, lowerCase));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      lowerCase ? name.charAt(0).toLowerCase() + name.slice(1) : name,
      field(name, inner, lowerCase),
    ]),
  );
}

function field(name: string, value: unknown, lowerCase: boolean): unknown {
  if (OPEN_MAPS.has(name)) return binary(value);
  if (TEXT_FIELDS.has(name) && typeof value === 'object') return JSON.stringify(value);
  if (TIME_FIELD.test(name) && typeof value === 'string' && ISO_TIME.test(value)) return new Date(value);
  return toSdk(value, lowerCase);
}

/** DynamoDB's binary values are base64 in a state. */
function binary(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(binary);
  if (typeof value !== 'object' || value === null) return value;
  const [only, ...more] = Object.entries(value);
  if (only?.[0] === 'B' && more.length === 0 && typeof only[1] === 'string')
    return { B: Buffer.from(only[1], 'base64') };
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, binary(inner)]));
}

/** An SDK result as a state sees it: plain JSON, bodies as text, other bytes as base64. */
export async function fromSdk(value: unknown, pascalCase: boolean): Promise<unknown> {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return Promise.all(value.map((item) => fromSdk(item, pascalCase)));
  if (typeof value !== 'object' || value === null) return value;
  const body = value as { transformToString?: () => Promise<string> };
  if (typeof body.transformToString === 'function') return body.transformToString();
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const key = pascalCase ? name.charAt(0).toUpperCase() + name.slice(1) : name;
    result[key] =
      name === 'Payload' && inner instanceof Uint8Array
        ? Buffer.from(inner).toString('utf8')
        : await fromSdk(inner, pascalCase);
  }
  return result;
}
