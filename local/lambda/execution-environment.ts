import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { InvocationResult } from '../gateway/ports';
import type { FunctionConfig } from './function-config';
import { endLines, startLine } from './invocation-log';
import { eachLine } from './output-lines';
import type { InvocationAnswer, PendingInvocation, RuntimeApi, RuntimeClient } from './runtime-api';

const BOOTSTRAP = path.join(__dirname, 'bootstrap.cjs');
const TAIL_BYTES = 4_096;
/** 6 MB and a little, as the error message has it. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAXIMUM_RESPONSE_BYTES = 6_291_556;
/** Node itself needs room beside the heap. */
const HEAP_SHARE = 0.9;
/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-ib */
const INIT_MS = 10_000;
/** As the platform words them. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGKILL: 'killed',
  SIGABRT: 'aborted',
  SIGSEGV: 'segmentation fault',
  SIGTERM: 'terminated',
};

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

export interface Invocation {
  readonly requestId: string;
  readonly payload: string;
  /** With the version or alias it was called by. */
  readonly functionArn: string;
}

export interface FinishedInvocation extends InvocationResult {
  /** Of the handler alone: without the start of the process, in real milliseconds. */
  readonly durationMs: number;
}

interface Running extends Invocation {
  readonly end: (result: FinishedInvocation) => void;
  readonly tail: string[];
  timer: NodeJS.Timeout;
  /** When the handler got it; undefined while the process starts. */
  begun?: number;
  answer?: InvocationAnswer;
  marks: number;
}

/** One process that runs one invocation at a time, as Lambda's execution environments do. */
export class ExecutionEnvironment implements RuntimeClient {
  readonly id = randomUUID();
  alive = true;
  readonly exited: Promise<void>;
  private readonly child: ChildProcess;
  private readonly logStream: string;
  // real time: how long a real process takes to start
  private readonly spawned = performance.now();
  private initMs: number | undefined;
  private initTold = false;
  private running: Running | undefined;
  private waiting: ((invocation: PendingInvocation) => void) | undefined;
  private initError: string | undefined;
  private openStreams = 2;

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
    for (const stream of [this.child.stdout, this.child.stderr])
      if (stream !== null)
        eachLine(
          stream,
          (line) => this.heard(line),
          () => {
            this.openStreams--;
            this.settle();
          },
        );
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        this.ended(code, signal);
        resolve();
      });
      this.child.once('error', (error) => {
        this.initError = JSON.stringify({
          errorType: 'Runtime.InvalidEntrypoint',
          errorMessage: `RequestId: ${this.running?.requestId} Error: ${error.message}`,
        });
      });
    });
  }

  invoke(invocation: Invocation): Promise<FinishedInvocation> {
    const { config } = this.options;
    return new Promise((end) => {
      // real time: the start of a real process; with the handler's own time when it is slow, as on AWS
      const timer = setTimeout(() => this.timedOut(), INIT_MS + config.timeout * 1000);
      this.running = { ...invocation, end, tail: [], timer, marks: 0 };
      this.logged(startLine(config, invocation.requestId, this.timestamp()));
      this.deliver();
    });
  }

  next(answer: (invocation: PendingInvocation) => void): void {
    // real time: how long a real process took to start
    this.initMs ??= performance.now() - this.spawned;
    this.waiting = answer;
    this.deliver();
  }

  finished(requestId: string, answer: InvocationAnswer): void {
    if (this.running?.requestId !== requestId) return;
    this.running.answer = answer;
    this.settle();
  }

  initFailed(body: string): void {
    this.initError = body;
  }

  kill(): void {
    this.alive = false;
    this.child.kill('SIGKILL');
  }

  private deliver(): void {
    const { running, waiting, options } = this;
    if (running === undefined || waiting === undefined || running.begun !== undefined) return;
    this.waiting = undefined;
    const timeoutMs = options.config.timeout * 1000;
    clearTimeout(running.timer);
    // real time: a handler is a real process, and its timeout limits real work
    running.timer = setTimeout(() => this.timedOut(), timeoutMs);
    running.begun = performance.now();
    const { requestId, payload, functionArn } = running;
    const nowMs = options.now();
    waiting({ requestId, payload, functionArn, nowMs, deadlineMs: nowMs + timeoutMs });
  }

  private heard(line: string): void {
    const { running } = this;
    const mark = running === undefined ? '' : `\u0000${running.requestId}`;
    if (running === undefined || !line.endsWith(mark)) {
      this.logged(line);
      return;
    }
    const before = line.slice(0, -mark.length);
    if (before !== '') this.logged(before);
    running.marks++;
    this.settle();
  }

  private logged(line: string): void {
    const message = line.replace(/\r$/, '').replaceAll('\r', '\n');
    this.options.log(this.logStream, message);
    this.running?.tail.push(message);
  }

  /** The answer counts once all that was logged before it has been heard. */
  private settle(): void {
    const { running } = this;
    if (running?.answer === undefined) return;
    const { kind, body, streams } = running.answer;
    if (running.marks < streams && this.openStreams === 2) return;
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
    this.logged(`${this.timestamp()} ${running.requestId} ${message}`);
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
        ? code === 0
          ? 'Runtime exited without providing a reason'
          : `Runtime exited with error: exit status ${code}`
        : `Runtime exited with error: signal: ${SIGNALS[signal] ?? signal.toLowerCase()}`;
    this.end(
      'Unhandled',
      this.initError ?? {
        errorType: 'Runtime.ExitError',
        errorMessage: `RequestId: ${this.running.requestId} Error: ${how}`,
      },
    );
  }

  private end(functionError: InvocationResult['functionError'], body: string | object): void {
    const { running, options } = this;
    if (running === undefined) return;
    clearTimeout(running.timer);
    // real time: the duration of a real process
    const durationMs = running.begun === undefined ? 0 : performance.now() - running.begun;
    const { requestId, answer } = running;
    const figures = {
      requestId,
      durationMs,
      memoryKb: answer?.memoryKb ?? 0,
      ...(this.initMs === undefined || this.initTold ? {} : { initMs: this.initMs }),
    };
    this.initTold = true;
    const status = functionError === undefined ? 'success' : 'error';
    for (const line of endLines(options.config, figures, status, this.timestamp())) this.logged(line);
    this.running = undefined;
    running.end({
      payload: typeof body === 'string' ? body : JSON.stringify(body),
      ...(functionError === undefined ? {} : { functionError }),
      requestId,
      logTail: Buffer.from(running.tail.join('\n')).subarray(-TAIL_BYTES).toString('utf8'),
      durationMs,
    });
  }

  private timestamp(): string {
    return new Date(this.options.now()).toISOString();
  }
}
