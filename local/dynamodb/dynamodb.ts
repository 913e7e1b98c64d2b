import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { Timer } from '../clock/clock';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { accessesOf } from './access';
import { type DynaliteStore, database, type Parameters } from './dynalite-store';
import { DynamoDbError } from './dynamodb-error';
import { tableProviders } from './providers';
import { DynamoDbRequests, isConditionalCheckFailure } from './requests';
import { TableSettingsStore } from './table-settings';
import { SWEEP_EVERY_MS, sweepExpired } from './time-to-live';

const MAXIMUM_REQUEST_BYTES = 16 * 1024 * 1024;
const CONTENT_TYPE = 'application/x-amz-json-1.0';

/** DynamoDB on dynalite, with what dynalite lacks: transactions, TTL, old items on failed conditions, backups calls. */
export class DynamoDbService implements LocalService {
  readonly signingName = 'dynamodb';
  readonly providers: readonly ResourceProvider[];
  readonly requests: DynamoDbRequests;
  private readonly store: DynaliteStore;
  private readonly settings: TableSettingsStore;
  private sweepTimer: Timer | undefined;
  private stopped = false;

  constructor(private readonly environment: Environment) {
    const folder = environment.dataFolder && path.join(environment.dataFolder, 'dynamodb');
    if (folder) mkdirSync(folder, { recursive: true });
    this.store = database.create({
      createTableMs: 0,
      deleteTableMs: 0,
      updateTableMs: 0,
      ...(folder ? { path: path.join(folder, 'items') } : {}),
    });
    this.store.tableDb.awsAccountId = environment.account;
    this.store.tableDb.awsRegion = environment.region;
    this.settings = new TableSettingsStore(folder || undefined);
    this.requests = new DynamoDbRequests(this.store, this.settings, environment.clock);
    this.providers = tableProviders({ store: this.store, requests: this.requests, settings: this.settings });
  }

  start(): void {
    this.sweepTimer = this.environment.clock.after(SWEEP_EVERY_MS, () => void this.sweep());
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    this.sweepTimer?.cancel();
    await this.store.db.close();
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    try {
      const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
      const parameters = parse(await bodyOf(request));
      this.authorize(identity, operation, parameters);
      const result = await this.requests.run(operation, parameters);
      answer(response, 200, result);
    } catch (error) {
      const { statusCode, body } = error as Partial<DynamoDbError>;
      if (isConditionalCheckFailure(error)) this.count('ConditionalCheckFailedRequests');
      if (statusCode === undefined || body === undefined) {
        answer(response, 500, {
          __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
          message: String(error),
        });
      } else answer(response, statusCode, body);
    }
  }

  private authorize(identity: Exchange['identity'], operation: string, parameters: Parameters): void {
    const prefix = `arn:aws:dynamodb:${this.environment.region}:${this.environment.account}:table/`;
    for (const { action, table, index } of accessesOf(operation, parameters)) {
      const resource =
        table === '*' ? '*' : `${prefix}${table}${index === undefined ? '' : `/index/${index}`}`;
      const refusal = this.environment.authorize({ identity, action: `dynamodb:${action}`, resource });
      if (refusal !== undefined) throw new DynamoDbError('AccessDeniedException', refusal);
    }
  }

  private async sweep(): Promise<void> {
    const release = this.environment.clock.hold();
    try {
      for (const [table, { ttlAttribute }] of this.settings.entries()) {
        if (ttlAttribute === undefined || this.stopped) continue;
        const count = await sweepExpired(this.store, table, ttlAttribute, this.environment.clock.now());
        if (count > 0)
          this.environment.emit({
            type: 'dynamodb.expired',
            at: this.environment.clock.now(),
            detail: { table, count },
          });
      }
    } finally {
      release();
    }
    if (!this.stopped) this.start();
  }

  private count(name: string): void {
    this.environment.metrics.put({
      namespace: 'AWS/DynamoDB',
      name,
      dimensions: {},
      value: 1,
      unit: 'Count',
    });
  }
}

export function createDynamoDb(environment: Environment): DynamoDbService {
  return new DynamoDbService(environment);
}

function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAXIMUM_REQUEST_BYTES) chunks.push(chunk);
    });
    request.on('end', () => {
      if (size > MAXIMUM_REQUEST_BYTES)
        reject(new DynamoDbError('ValidationException', 'Request size exceeded 16 MB', {}, 413));
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.on('error', reject);
  });
}

function parse(body: Buffer): Parameters {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Parameters;
  } catch {
    // answered below, as for any other body that is not an object
  }
  throw new DynamoDbError('SerializationException', 'The request body is not a JSON object');
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    'content-type': CONTENT_TYPE,
    'content-length': body.length,
    'x-amzn-requestid': randomUUID(),
    ...(typeof crc32 === 'function' ? { 'x-amz-crc32': String(crc32(body)) } : {}),
  });
  response.end(body);
}
