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
import { environmentVariables } from './environment-variables';
import { EventSourceMapping } from './event-source-mapping';
import { ACCOUNT_CONCURRENCY, type FunctionConfig, functionNameOf } from './function-config';
import { FunctionPool, ProcessSlots } from './function-pool';
import { LambdaApi } from './lambda-api';
import type { LambdaControl } from './lambda-control';
import { checkMapping, type MappingConfig } from './mapping-config';
import { lambdaProviders } from './providers';
import { RuntimeApi } from './runtime-api';

const DEFAULT_PROCESSES = 8;

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
}

/** Lambda: one process for each concurrent invocation, event source mappings on SQS, and the API around them. */
export class LambdaService implements LocalService, FunctionInvoker, LambdaControl {
  readonly signingName = 'lambda';
  readonly providers: readonly ResourceProvider[];
  readonly mappings = new Map<string, EventSourceMapping>();
  private readonly functions = new Map<string, FunctionPool>();
  private readonly runtimeApi = new RuntimeApi();
  private readonly folders: CodeFolders;
  private readonly copies = new Map<string, string>();
  private readonly slots: ProcessSlots;
  private readonly api: LambdaApi;
  private started = false;

  constructor(
    readonly environment: Environment,
    private readonly options: LambdaOptions,
  ) {
    this.folders = new CodeFolders(options.sdkFolder);
    this.slots = new ProcessSlots(options.maximumProcesses ?? DEFAULT_PROCESSES);
    this.api = new LambdaApi(this);
    this.providers = lambdaProviders(this);
    environment.metrics.addSource(() => [
      {
        namespace: 'AWS/Lambda',
        name: 'ConcurrentExecutions',
        dimensions: {},
        value: this.concurrency(),
        unit: 'Count',
      },
    ]);
  }

  async start(): Promise<void> {
    await this.runtimeApi.start();
    this.started = true;
    for (const mapping of this.mappings.values()) mapping.start();
  }

  async stop(): Promise<void> {
    this.started = false;
    for (const mapping of this.mappings.values()) mapping.stop();
    await Promise.all([...this.functions.values()].map((pool) => pool.stop()));
    await this.runtimeApi.stop();
    this.folders.removeAll();
  }

  handle(exchange: Exchange): Promise<void> {
    return this.api.handle(exchange);
  }

  async invoke(functionArn: string, payload: string): Promise<InvocationResult> {
    await this.runtimeApi.start();
    const name = functionNameOf(functionArn);
    const pool = this.find(name);
    if (pool === undefined) throw new Error(`Function not found: ${functionArn}`);
    const at = this.environment.clock.now();
    this.emit('lambda.invoked', { functionName: name });
    // real time: the duration of a real process
    const begun = performance.now();
    try {
      if (this.concurrency() >= ACCOUNT_CONCURRENCY) throw new ThrottledError('Rate Exceeded.');
      const result = await pool.invoke(payload);
      const durationMs = performance.now() - begun;
      this.count(name, 'Invocations', 1);
      this.count(name, 'Errors', result.functionError === undefined ? 0 : 1);
      this.count(name, 'Duration', durationMs, 'Milliseconds');
      this.emit('lambda.finished', {
        functionName: name,
        requestId: result.requestId,
        durationMs,
        at,
        ...(result.functionError === undefined ? {} : { error: result.payload }),
      });
      return result;
    } catch (error) {
      if (error instanceof ThrottledError) this.count(name, 'Throttles', 1);
      throw error;
    }
  }

  find(nameOrArn: string): FunctionPool | undefined {
    return this.functions.get(functionNameOf(nameOrArn));
  }

  all(): FunctionPool[] {
    return [...this.functions.values()];
  }

  create(config: FunctionConfig): void {
    this.copies.delete(config.codeFolder);
    const existing = this.functions.get(config.name);
    if (existing !== undefined) existing.renew(config);
    else
      this.functions.set(
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
    this.copies.delete(pool.config.codeFolder);
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
      invoke: (payload: string) => this.invoke(pool.config.name, payload),
    };
    const mapping = new EventSourceMapping(config, mapped, {
      environment: this.environment,
      queues: this.options.queues,
      identityOf: (roleArn) => ({ accessKeyId: this.options.credentialsFor(roleArn).accessKeyId, roleArn }),
      processes: this.slots.limit,
    });
    this.mappings.set(config.uuid, mapping);
    if (this.started) mapping.start();
    return mapping;
  }

  unmap(uuid: string): void {
    this.mappings.get(uuid)?.stop();
    this.mappings.delete(uuid);
  }

  concurrency(): number {
    return this.all().reduce((sum, { running }) => sum + running, 0);
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
          simulatedClock: environment.clock instanceof SimulatedClock,
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
