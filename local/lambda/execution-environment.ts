import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { InvocationResult } from '../gateway/ports';
import type { FunctionConfig } from './function-config';
import type { PendingInvocation, RuntimeApi, RuntimeClient } from './runtime-api';

const BOOTSTRAP = path.join(__dirname, 'bootstrap.cjs');
const TAIL_BYTES = 4_096;
/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAXIMUM_RESPONSE_BYTES = 6 * 1024 * 1024;
/** Node itself needs room beside the heap. */
const HEAP_SHARE = 0.9;

export interface EnvironmentOptions {
  readonly config: FunctionConfig;
  readonly node: string;
  readonly taskRoot: string;
  readonly variables: (runtimeApi: string, logStream: string) => Record<string, string>;
  readonly runtimeApi: RuntimeApi;
  log(logStream: string, line: string): void;
  /** Epoch milliseconds of the engine. */
  now(): number;
}

interface Running {
  readonly requestId: string;
  readonly end: (result: InvocationResult) => void;
  readonly tail: string[];
  timer: NodeJS.Timeout;
  answer?: { readonly kind: 'response' | 'error'; readonly body: string };
  flushed: boolean;
}

/** One process that runs one invocation at a time, as Lambda's execution environments do. */
export class ExecutionEnvironment implements RuntimeClient {
  readonly id = randomUUID();
  alive = true;
  private readonly child: ChildProcess;
  private readonly logStream: string;
  private running: Running | undefined;
  private waiting: ((invocation: PendingInvocation) => void) | undefined;
  private queued: PendingInvocation | undefined;
  private initError: string | undefined;
  readonly exited: Promise<void>;

  constructor(private readonly options: EnvironmentOptions) {
    const { config, runtimeApi } = options;
    this.logStream = `${new Date(options.now()).toISOString().slice(0, 10).replace(/-/g, '/')}/[$LATEST]${this.id.replace(/-/g, '')}`;
    runtimeApi.register(this.id, this);
    this.child = spawn(
      options.node,
      [`--max-old-space-size=${Math.floor(config.memory * HEAP_SHARE)}`, BOOTSTRAP],
      {
        cwd: options.taskRoot,
        env: options.variables(runtimeApi.addressOf(this.id), this.logStream),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    if (this.child.stdout !== null)
      createInterface({ input: this.child.stdout }).on('line', (line) => this.heard(line));
    if (this.child.stderr !== null)
      createInterface({ input: this.child.stderr }).on('line', (line) => this.logged(line));
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        this.ended(code, signal);
        resolve();
      });
      this.child.once('error', (error) => {
        this.initError = JSON.stringify({
          errorType: 'Runtime.InvalidEntrypoint',
          errorMessage: error.message,
        });
      });
    });
  }

  invoke(payload: string, requestId: string): Promise<InvocationResult> {
    const { config } = this.options;
    return new Promise((end) => {
      // real time: a handler is a real process, and its timeout limits real work
      const timer = setTimeout(() => this.timedOut(), config.timeout * 1000);
      this.running = { requestId, end, tail: [], timer, flushed: false };
      this.logged(`START RequestId: ${requestId} Version: $LATEST`);
      const now = this.options.now();
      const invocation = {
        requestId,
        payload,
        functionArn: config.arn,
        nowMs: now,
        deadlineMs: now + config.timeout * 1000,
      };
      if (this.waiting === undefined) this.queued = invocation;
      else {
        const give = this.waiting;
        this.waiting = undefined;
        give(invocation);
      }
    });
  }

  next(answer: (invocation: PendingInvocation) => void): void {
    if (this.queued === undefined) {
      this.waiting = answer;
      return;
    }
    const invocation = this.queued;
    this.queued = undefined;
    answer(invocation);
  }

  finished(requestId: string, kind: 'response' | 'error', body: string): void {
    if (this.running?.requestId !== requestId) return;
    this.running.answer = { kind, body };
    this.settle();
  }

  initFailed(body: string): void {
    this.initError = body;
  }

  kill(): void {
    this.alive = false;
    this.child.kill('SIGKILL');
  }

  private heard(line: string): void {
    if (line.startsWith('\u0000')) {
      if (this.running !== undefined) this.running.flushed = true;
      this.settle();
    } else this.logged(line);
  }

  private logged(line: string): void {
    this.options.log(this.logStream, line);
    this.running?.tail.push(line);
  }

  /** The answer counts once all that was logged before it has been heard. */
  private settle(): void {
    const { running } = this;
    if (running?.answer === undefined || !running.flushed) return;
    const { kind, body } = running.answer;
    if (Buffer.byteLength(body) > MAXIMUM_RESPONSE_BYTES)
      this.end('Unhandled', {
        errorType: 'Function.ResponseSizeTooLarge',
        errorMessage: `Response payload size exceeded maximum allowed payload size (${MAXIMUM_RESPONSE_BYTES} bytes).`,
      });
    else if (kind === 'error') this.end('Unhandled', body);
    else this.end(undefined, body);
  }

  private timedOut(): void {
    const { running, options } = this;
    if (running === undefined) return;
    const message = `Task timed out after ${options.config.timeout.toFixed(2)} seconds`;
    this.logged(`${new Date(options.now()).toISOString()} ${running.requestId} ${message}`);
    this.kill();
    this.end('Unhandled', {
      errorType: 'Sandbox.Timedout',
      errorMessage: `RequestId: ${running.requestId} Error: ${message}`,
    });
  }

  private ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.alive = false;
    this.options.runtimeApi.forget(this.id);
    if (this.running === undefined) return;
    const how =
      signal === null
        ? `exit status ${code}`
        : `signal: ${signal === 'SIGKILL' ? 'killed' : signal.toLowerCase()}`;
    this.end(
      'Unhandled',
      this.initError ?? {
        errorType: 'Runtime.ExitError',
        errorMessage: `RequestId: ${this.running.requestId} Error: Runtime exited with error: ${how}`,
      },
    );
  }

  private end(functionError: InvocationResult['functionError'], body: string | object): void {
    const { running } = this;
    if (running === undefined) return;
    clearTimeout(running.timer);
    this.logged(`END RequestId: ${running.requestId}`);
    this.running = undefined;
    running.end({
      payload: typeof body === 'string' ? body : JSON.stringify(body),
      ...(functionError === undefined ? {} : { functionError }),
      requestId: running.requestId,
      logTail: Buffer.from(running.tail.join('\n')).subarray(-TAIL_BYTES).toString('utf8'),
    });
  }
}
