import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AwsError, answerWithError } from '../gateway/aws-error';
import { answerQuery } from '../gateway/query-protocol';
import { bodyOf } from '../gateway/request-body';

type Json = Readonly<Record<string, unknown>>;

/** A call in either protocol: SDKs speak AWS JSON 1.0, older tools and the command line the query protocol. */
export interface Call {
  readonly operation: string;
  readonly given: Json;
  answer(result: Json): void;
  refuse(error: AwsError): void;
}

export async function readCall(request: IncomingMessage, response: ServerResponse): Promise<Call> {
  const refuse = (error: AwsError): void => answerWithError(request, response, error, 'monitoring');
  const body = (await bodyOf(request)).toString('utf8');
  const target = request.headers['x-amz-target'];
  if (typeof target === 'string') {
    const operation = target.split('.')[1] ?? '';
    return { operation, given: jsonOf(body), answer: (result) => answerJson(response, result), refuse };
  }
  const search = request.url?.split('?', 2)[1] ?? '';
  const parameters = new URLSearchParams(request.method === 'POST' ? body : search);
  const operation = parameters.get('Action') ?? '';
  return {
    operation,
    given: nested(parameters),
    answer: (result) => answerQuery(response, operation, withDates(result) as object),
    refuse,
  };
}

function jsonOf(body: string): Json {
  const value: unknown = JSON.parse(body || '{}');
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function answerJson(response: ServerResponse, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
  });
  response.end(body);
}

/** `MetricData.member.1.Dimensions.member.1.Name=a` as objects and lists. */
function nested(parameters: URLSearchParams): Json {
  const root = {};
  for (const [name, value] of parameters) {
    let at: Record<string, unknown> = root;
    const path = name.split('.').filter((part) => part !== 'member');
    path.forEach((part, index) => {
      if (index === path.length - 1) at[part] = value;
      else {
        at[part] ??= {};
        at = at[part] as Record<string, unknown>;
      }
    });
  }
  return listed(root) as Json;
}

/** What has numbers for keys is a list. */
function listed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, listed(inner)] as const);
  if (entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key)))
    return entries.map(([, inner]) => inner);
  return Object.fromEntries(entries);
}

/** The query protocol writes times as dates. */
function withDates(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withDates(item, name));
  if (typeof value === 'number' && /Timestamps?$|^LastModified$/.test(name))
    return new Date(value * 1000).toISOString();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withDates(inner, key)]));
}
