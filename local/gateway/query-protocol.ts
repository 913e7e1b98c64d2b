import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeXml } from './aws-error';
import { bodyOf } from './request-body';

/** Parameters of a request in the AWS query protocol, as it puts them on the wire: `Attributes.entry.1.key`. */
export async function queryParameters(request: IncomingMessage): Promise<URLSearchParams> {
  const search = request.url?.split('?', 2)[1] ?? '';
  const body = request.method === 'POST' ? (await bodyOf(request)).toString('utf8') : search;
  return new URLSearchParams(body);
}

/** The members of `PREFIX.member.N` or `PREFIX.entry.N`, each with its own fields. */
export function members(parameters: URLSearchParams, prefix: string): Map<string, string>[] {
  const found = new Map<number, Map<string, string>>();
  for (const [name, value] of parameters) {
    const match = new RegExp(`^${prefix}\\.(?:member|entry)\\.(\\d+)(?:\\.(.+))?$`).exec(name);
    if (match === null) continue;
    const index = Number(match[1]);
    const fields = found.get(index) ?? new Map<string, string>();
    fields.set(match[2] ?? '', value);
    found.set(index, fields);
  }
  return [...found].sort(([a], [b]) => a - b).map(([, fields]) => fields);
}

/** Strings, lists as `member`, maps as `entry`, and objects, as the query protocol writes them. */
export function xmlOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `<member>${xmlOf(item)}</member>`).join('');
  if (value instanceof Map)
    return [...value]
      .map(
        ([key, inner]) => `<entry><key>${escapeXml(String(key))}</key><value>${xmlOf(inner)}</value></entry>`,
      )
      .join('');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => `<${name}>${xmlOf(inner)}</${name}>`)
      .join('');
  return escapeXml(String(value));
}

export function answerQuery(response: ServerResponse, operation: string, result: object): void {
  const body = `<${operation}Response><${operation}Result>${xmlOf(result)}</${operation}Result><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${operation}Response>`;
  response.writeHead(200, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
