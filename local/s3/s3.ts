import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import path from 'node:path';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import { answerWithError } from '../gateway/aws-error';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { unchunked } from './chunked-body';
import { listObjects } from './list-objects';
import { ObjectStore, type StoredObject } from './object-store';
import { bucketProviders } from './providers';
import { noSuchBucket, noSuchKey, S3Error } from './s3-error';

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly length?: number;
}

interface Target {
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
}

/** Sub-resources (`?acl`, `?uploads` …) are other operations with the same path. */
const PLAIN_QUERY =
  /^(x-id|list-type|prefix|delimiter|max-keys|continuation-token|start-after|encoding-type|fetch-owner|X-Amz-.*|response-.*)$/i;
const KEPT_HEADER =
  /^(content-type|content-encoding|cache-control|content-disposition|x-amz-meta-.*|x-amz-checksum-(?!mode|algorithm).*)$/;

/** S3 with path-style addresses, as far as an archive needs it: put, get, head, delete, copy and list. */
export class S3Service implements LocalService {
  readonly signingName = 's3';
  readonly providers: readonly ResourceProvider[];
  readonly store: ObjectStore;

  constructor(private readonly environment: Environment) {
    const folder = environment.dataFolder && path.join(environment.dataFolder, 's3');
    if (folder) mkdirSync(folder, { recursive: true });
    this.store = new ObjectStore(folder || undefined);
    this.providers = bucketProviders(this.store);
  }

  async handle(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    try {
      const body = await bodyOf(request);
      const url = new URL(request.url ?? '/', this.environment.endpoint());
      const [bucket = '', ...rest] = url.pathname.slice(1).split('/');
      const target = { bucket, key: decodeURIComponent(rest.join('/')), query: url.searchParams };
      send(response, this.answer(exchange, target, body));
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      answerWithError(request, response, error, 's3');
    }
  }

  private answer(exchange: Exchange, target: Target, body: Buffer): Answer {
    const { method = 'GET', headers } = exchange.request;
    const other = [...target.query.keys()].find((name) => !PLAIN_QUERY.test(name));
    if (other !== undefined || target.bucket === '')
      throw new S3Error(
        501,
        'NotImplemented',
        `The local engine does not emulate this S3 operation (${method} ${other ?? 'without a bucket'}).`,
      );
    if (target.key === '') return this.onBucket(exchange, target, method);
    if (!this.store.has(target.bucket)) throw noSuchBucket(target.bucket);
    switch (method) {
      case 'PUT':
        return headers['x-amz-copy-source'] === undefined
          ? this.put(exchange, target, body)
          : this.copy(exchange, target, String(headers['x-amz-copy-source']));
      case 'GET':
      case 'HEAD':
        return this.get(exchange, target, method === 'HEAD');
      case 'DELETE':
        this.allow(exchange, 's3:DeleteObject', target.bucket, target.key);
        this.store.delete(target.bucket, target.key);
        return { status: 204 };
      default:
        throw new S3Error(
          405,
          'MethodNotAllowed',
          `The local engine does not emulate ${method} on an object.`,
        );
    }
  }

  private onBucket(exchange: Exchange, { bucket, query }: Target, method: string): Answer {
    this.allow(exchange, 's3:ListBucket', bucket);
    if (!this.store.has(bucket)) throw noSuchBucket(bucket);
    if (method === 'HEAD')
      return { status: 200, headers: { 'x-amz-bucket-region': this.environment.region } };
    if (method !== 'GET' || query.get('list-type') !== '2')
      throw new S3Error(
        501,
        'NotImplemented',
        'On buckets the local engine emulates ListObjectsV2 and HeadBucket.',
      );
    const xml = listObjects(bucket, query, (prefix) => this.store.list(bucket, prefix));
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: xml };
  }

  private put(exchange: Exchange, { bucket, key }: Target, body: Buffer): Answer {
    this.allow(exchange, 's3:PutObject', bucket, key);
    const { headers } = exchange.request;
    const existing = this.store.get(bucket, key);
    if (headers['if-none-match'] === '*' && existing !== undefined)
      throw new S3Error(
        412,
        'PreconditionFailed',
        'At least one of the pre-conditions you specified did not hold',
      );
    const chunked = /aws-chunked/.test(String(headers['content-encoding'] ?? ''));
    const parts = chunked ? unchunked(body) : { content: body, trailers: {} };
    if (parts === undefined)
      throw new S3Error(400, 'IncompleteBody', 'The body is not in the aws-chunked form');
    const kept = { ...keptHeaders(headers), ...keptHeaders(parts.trailers) };
    const stored = this.store.put(bucket, {
      key,
      body: parts.content,
      modified: this.environment.clock.now(),
      headers: kept,
    });
    return { status: 200, headers: { etag: stored.etag, ...checksums(kept) } };
  }

  private copy(exchange: Exchange, { bucket, key }: Target, source: string): Answer {
    const [from = '', ...rest] =
      decodeURIComponent(source).replace(/^\//, '').split('?')[0]?.split('/') ?? [];
    const original = this.existing(exchange, from, rest.join('/'));
    this.allow(exchange, 's3:PutObject', bucket, key);
    const replaced = exchange.request.headers['x-amz-metadata-directive'] === 'REPLACE';
    const headers = replaced
      ? { ...checksums(original.headers), ...keptHeaders(exchange.request.headers) }
      : original.headers;
    const modified = this.environment.clock.now();
    const { etag } = this.store.put(bucket, { key, body: original.body, modified, headers });
    const date = new Date(modified).toISOString();
    const xml = `<?xml version="1.0" encoding="UTF-8"?><CopyObjectResult><LastModified>${date}</LastModified><ETag>&quot;${etag.slice(1, -1)}&quot;</ETag></CopyObjectResult>`;
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: xml };
  }

  private get(exchange: Exchange, { bucket, key }: Target, headOnly: boolean): Answer {
    const object = this.existing(exchange, bucket, key);
    const common = {
      ...object.headers,
      etag: object.etag,
      'last-modified': new Date(object.modified).toUTCString(),
      'accept-ranges': 'bytes',
    };
    const size = object.body.length;
    const range = /^bytes=(\d+)-(\d*)$/.exec(exchange.request.headers.range ?? '');
    if (range === null || headOnly)
      return { status: 200, headers: common, body: headOnly ? '' : object.body, length: size };
    const first = Number(range[1]);
    const last = Math.min(range[2] === '' ? size - 1 : Number(range[2]), size - 1);
    if (first > last) throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable');
    // A checksum of the whole object says nothing about a part of it.
    const partial = Object.fromEntries(
      Object.entries(common).filter(([name]) => !name.startsWith('x-amz-checksum-')),
    );
    return {
      status: 206,
      headers: { ...partial, 'content-range': `bytes ${first}-${last}/${size}` },
      body: object.body.subarray(first, last + 1),
    };
  }

  private existing(exchange: Exchange, bucket: string, key: string): StoredObject {
    this.allow(exchange, 's3:GetObject', bucket, key);
    if (!this.store.has(bucket)) throw noSuchBucket(bucket);
    const object = this.store.get(bucket, key);
    if (object === undefined) throw noSuchKey(key);
    return object;
  }

  private allow({ identity }: Exchange, action: string, bucket: string, key?: string): void {
    const resource = `arn:aws:s3:::${bucket}${key === undefined ? '' : `/${key}`}`;
    const denied = this.environment.authorize({ identity, action, resource });
    if (denied !== undefined) throw new S3Error(403, 'AccessDenied', denied);
  }
}

export function createS3(environment: Environment): S3Service {
  return new S3Service(environment);
}

function keptHeaders(
  headers: IncomingHttpHeaders | Readonly<Record<string, string>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!KEPT_HEADER.test(name) || typeof value !== 'string') continue;
    const plain = name === 'content-encoding' ? value.replace(/aws-chunked,?\s*/, '') : value;
    if (plain !== '') kept[name] = plain;
  }
  return kept;
}

function checksums(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-amz-checksum-')));
}

function send(response: ServerResponse, { status, headers = {}, body = '', length }: Answer): void {
  const size = length ?? Buffer.byteLength(body);
  response.writeHead(status, {
    ...headers,
    'x-amz-request-id': randomUUID(),
    ...(status === 204 ? {} : { 'content-length': size }),
  });
  response.end(body);
}
