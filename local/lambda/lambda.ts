import { randomUUID } from 'node:crypto';
import { SimulatedClock } from '../clock/simulated-clock';
import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';
import type { Credentials } from '../gateway/identities';
import {
  type FunctionInvoker,
  type InvocationResult,
  type QueueSource,
  ThrottledError,
} from '../gateway/ports';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { CodeFolders } from './code-folder';
import { concurrencyMetrics } from './concurrency-metrics';
import { environmentVariables } from './environment-variables';
import { EventSourceMapping } from './event-source-mapping';
import { ACCOUNT_CONCURRENCY, type FunctionConfig } from './function-config';
import { FunctionPool } from './function-pool';
import { FunctionRegistry } from './function-registry';
import { checkSettings } from './function-settings';
import { LambdaApi } from './lambda-api';
import type { LambdaControl } from './lambda-control';
import { checkMapping, type MappingConfig } from './mapping-config';
import { ProcessSlots } from './process-slots';
import { lambdaProviders } from './providers';
import { RuntimeApi } from './runtime-api';

const DEFAULT_PROCESSES = 8;
const DEFAULT_WARM = 32;

/** Where the lines that functions write go. */
export interface LogSink {
  write(logGroup: string, logStream: string, line: string): void;
}

export interface LambdaOptions {
  readonly queues: QueueSource;
  readonly logs: LogSink;
  credentialsFor(roleArn: string): Credentials;
  /** A `node_modules` folder with what the Lambda runtime brings along: `@aws-sdk` and what it needs. */
  readonly sdkFolder: string;
  /** Path of the Node executable that runs handlers. Default: the one that runs the engine. */
  readonly node?: string;
  /** Handlers that run at once on this machine. Default 8. */
  readonly maximumProcesses?: number;
  /** Processes kept for the next call, over all functions; the longest unused ends first. Default 32. */
  readonly maximumIdle?: number;
}

/** Lambda: one process for each concurrent invocation, event source mappings on SQS, and the API around them. */
export class LambdaService implements LocalService, FunctionInvoker, LambdaControl {
  readonly signingName = 'lambda';
  readonly providers: readonly ResourceProvider[];
  readonly mappings = new Map<string, EventSourceMapping>();
  readonly registry = new FunctionRegistry();
  private readonly runtimeApi = new RuntimeApi();
  private readonly folders: CodeFolders;
  private readonly copies = new Map<string, string>();
  private readonly slots: ProcessSlots;
  private readonly stopping: (() => void)[] = [];
  private readonly api: LambdaApi;
  private started = false;
  private stopped = false;

  constructor(
    readonly environment: Environment,
    private readonly options: LambdaOptions,
  ) {
    this.folders = new CodeFolders(options.sdkFolder);
    this.slots = new ProcessSlots(
      options.maximumProcesses ?? DEFAULT_PROCESSES,
      options.maximumIdle ?? DEFAULT_WARM,
    );
    this.api = new LambdaApi(this);
    this.providers = lambdaProviders(this);
    environment.metrics.addSource(() => concurrencyMetrics(this.all()));
  }

  async start(): Promise<void> {
    await this.runtimeApi.start();
    this.started = true;
    for (const mapping of this.mappings.values()) mapping.start();
  }

  async stop(): Promise<void> {
    this.started = false;
    this.stopped = true;
    for (const callback of this.stopping.splice(0)) callback();
    for (const mapping of this.mappings.values()) mapping.stop();
    await Promise.all(this.all().map((pool) => pool.stop()));
    await this.runtimeApi.stop();
    this.folders.removeAll();
  }

  handle(exchange: Exchange): Promise<void> {
    return this.api.handle(exchange);
  }

  /** `records`: how many messages the event carries, where a mapping calls. */
  async invoke(functionArn: string, payload: string, records?: number): Promise<InvocationResult> {
    if (this.stopped) throw new Error('Lambda has been stopped');
    const found = this.registry.resolve(functionArn);
    if (found === undefined) throw new Error(`Function not found: ${functionArn}`);
    await this.runtimeApi.start();
    const { pool, arn } = found;
    const { name: functionName } = pool.config;
    const requestId = randomUUID();
    try {
      this.admit(pool);
      const result = await pool.invoke({ requestId, payload, functionArn: arn }, () =>
        this.emit('lambda.invoked', {
          functionName,
          requestId,
          ...(records === undefined ? {} : { records }),
        }),
      );
      const { functionError, durationMs } = result;
      this.count(functionName, 'Invocations', 1);
      this.count(functionName, 'Errors', functionError === undefined ? 0 : 1);
      this.count(functionName, 'Duration', durationMs, 'Milliseconds');
      this.emit('lambda.finished', {
        functionName,
        requestId,
        durationMs,
        ...(functionError === undefined ? {} : { error: result.payload }),
      });
      return result;
    } catch (error) {
      if (error instanceof ThrottledError) this.count(functionName, 'Throttles', 1);
      throw error;
    }
  }

  find(nameOrArn: string): FunctionPool | undefined {
    return this.registry.find(nameOrArn);
  }

  all(): FunctionPool[] {
    return [...this.registry.pools.values()];
  }

  newFolder(): string {
    return this.folders.newFolder();
  }

  onStop(callback: () => void): void {
    this.stopping.push(callback);
  }

  create(config: FunctionConfig): void {
    checkSettings(config);
    this.copies.delete(config.codeFolder);
    const existing = this.find(config.name);
    if (existing !== undefined) existing.renew(config);
    else
      this.registry.pools.set(
        config.name,
        new FunctionPool(config, this.environment.clock, this.slots, (current) =>
          this.environmentOptions(current),
        ),
      );
  }

  /** Other code from the next invocation on. */
  swapCode(functionName: string, codeFolder: string): void {
    const pool = this.find(functionName);
    if (pool === undefined) throw new Error(`Function not found: ${functionName}`);
    this.copies.delete(codeFolder);
    pool.renew({ ...pool.config, codeFolder });
  }

  map(config: MappingConfig): EventSourceMapping {
    const pool = this.find(config.functionName);
    if (pool === undefined)
      throw new ResourceError('FunctionName', `there is no function ${config.functionName}`);
    checkMapping(config, this.options.queues.describe(config.queueArn), pool.config.timeout);
    const mapped = {
      get config() {
        return pool.config;
      },
      // Counted like any other invocation.
      invoke: (payload: string, records: number) => this.invoke(pool.config.name, payload, records),
    };
    const mapping = new EventSourceMapping(config, mapped, {
      environment: this.environment,
      queues: this.options.queues,
      identityOf: (roleArn) => ({ accessKeyId: this.options.credentialsFor(roleArn).accessKeyId, roleArn }),
      processes: this.slots.limit,
    });
    // Of a template the policies may come later than the mapping, so the role is looked at when all is there.
    const refusal = this.started ? mapping.refusal() : undefined;
    if (refusal !== undefined) throw new ResourceError('FunctionName', refusal);
    this.mappings.set(config.uuid, mapping);
    if (this.started) mapping.start();
    return mapping;
  }

  remap(mapping: EventSourceMapping, config: MappingConfig): void {
    checkMapping(config, this.options.queues.describe(config.queueArn), undefined);
    mapping.reconfigure(config);
  }

  unmap(uuid: string): void {
    this.mappings.get(uuid)?.stop();
    this.mappings.delete(uuid);
  }

  /** What functions without a reserve share. */
  private admit({ config }: FunctionPool): void {
    if (config.reserved !== undefined) return;
    let free = ACCOUNT_CONCURRENCY;
    for (const { config: other, running } of this.registry.pools.values()) free -= other.reserved ?? running;
    if (free <= 0) throw new ThrottledError('Rate Exceeded.');
  }

  private environmentOptions(config: FunctionConfig) {
    const { environment, options, runtimeApi } = this;
    let taskRoot = this.copies.get(config.codeFolder);
    if (taskRoot === undefined) {
      taskRoot = this.folders.copyOf(config.codeFolder);
      this.copies.set(config.codeFolder, taskRoot);
    }
    const root = taskRoot;
    return {
      config,
      node: options.node ?? process.execPath,
      taskRoot: root,
      runtimeApi,
      now: () => environment.clock.now(),
      log: (logStream: string, line: string) => options.logs.write(config.logGroup, logStream, line),
      variables: (runtimeApiAddress: string, logStream: string) =>
        environmentVariables(config, {
          endpoint: environment.endpoint(),
          region: environment.region,
          credentials: options.credentialsFor(config.roleArn),
          taskRoot: root,
          runtimeApi: runtimeApiAddress,
          logStream,
          ...(environment.clock instanceof SimulatedClock ? { simulatedNow: environment.clock.now() } : {}),
        }),
    };
  }

  private count(functionName: string, name: string, value: number, unit = 'Count'): void {
    this.environment.metrics.put({
      namespace: 'AWS/Lambda',
      name,
      dimensions: { FunctionName: functionName },
      value,
      unit,
    });
  }

  private emit(type: string, detail: Readonly<Record<string, unknown>>): void {
    this.environment.emit({ type, at: this.environment.clock.now(), detail });
  }
}

export function createLambda(environment: Environment, options: LambdaOptions): LambdaService {
  return new LambdaService(environment, options);
}
