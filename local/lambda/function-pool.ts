import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock/clock';
import { type InvocationResult, ThrottledError } from '../gateway/ports';
import { type EnvironmentOptions, ExecutionEnvironment } from './execution-environment';
import type { FunctionConfig } from './function-config';

/** How many processes run at once on this machine, over all functions; more invocations wait for their turn. */
export class ProcessSlots {
  private used = 0;
  private readonly line: (() => void)[] = [];

  constructor(readonly limit: number) {}

  async take(): Promise<void> {
    if (this.used < this.limit) {
      this.used++;
      return;
    }
    await new Promise<void>((resolve) => this.line.push(resolve));
  }

  give(): void {
    const next = this.line.shift();
    if (next === undefined) this.used--;
    else next();
  }
}

/** The execution environments of one function. */
export class FunctionPool {
  running = 0;
  private idle: ExecutionEnvironment[] = [];
  private readonly all = new Set<ExecutionEnvironment>();

  constructor(
    public config: FunctionConfig,
    private readonly clock: Clock,
    private readonly slots: ProcessSlots,
    private readonly optionsOf: (config: FunctionConfig) => EnvironmentOptions,
  ) {}

  /** Rejects with ThrottledError when reserved concurrency is used up. */
  async invoke(payload: string): Promise<InvocationResult> {
    if (this.config.reserved !== undefined && this.running >= this.config.reserved)
      throw new ThrottledError('Rate Exceeded.');
    const release = this.clock.hold();
    this.running++;
    await this.slots.take();
    try {
      const environment = this.environment();
      const result = await environment.invoke(payload, randomUUID());
      if (environment.alive && this.all.has(environment)) this.idle.push(environment);
      else this.all.delete(environment);
      return result;
    } finally {
      this.slots.give();
      this.running--;
      release();
    }
  }

  /** New code or settings: what runs ends as it is, what comes next starts anew. */
  renew(config: FunctionConfig): void {
    this.config = config;
    for (const environment of this.idle) environment.kill();
    this.idle = [];
    this.all.clear();
  }

  /** As a crash would: every process of the function is gone at once, whatever it does. */
  crash(): void {
    for (const environment of this.all) environment.kill();
  }

  async stop(): Promise<void> {
    const all = [...this.all];
    for (const environment of all) environment.kill();
    await Promise.all(all.map(({ exited }) => exited));
    this.idle = [];
    this.all.clear();
  }

  private environment(): ExecutionEnvironment {
    for (;;) {
      const known = this.idle.pop();
      if (known === undefined) break;
      if (known.alive) return known;
      this.all.delete(known);
    }
    const started = new ExecutionEnvironment(this.optionsOf(this.config));
    this.all.add(started);
    return started;
  }
}
