import type { Clock, Timer } from '../clock/clock';
import { ThrottledError } from '../gateway/ports';
import {
  type EnvironmentOptions,
  ExecutionEnvironment,
  type FinishedInvocation,
  type Invocation,
} from './execution-environment';
import type { FunctionConfig } from './function-config';
import type { ProcessSlots } from './process-slots';

/** How long an environment is kept without work; AWS names no figure, and this is what is commonly seen. */
const IDLE_MS = 600_000;

interface Idle {
  readonly environment: ExecutionEnvironment;
  readonly since: number;
}

/** The execution environments of one function. */
export class FunctionPool {
  running = 0;
  /** The most that ran at once since this was last read. */
  private peak = 0;
  private readonly idle: Idle[] = [];
  private readonly all = new Set<ExecutionEnvironment>();
  private readonly stale = new WeakSet<ExecutionEnvironment>();
  private sweep: Timer | undefined;
  private stopped = false;

  constructor(
    public config: FunctionConfig,
    private readonly clock: Clock,
    private readonly slots: ProcessSlots,
    private readonly optionsOf: (config: FunctionConfig) => EnvironmentOptions,
  ) {}

  /** Rejects with ThrottledError when reserved concurrency is used up, else tells that the invocation goes ahead. */
  async invoke(invocation: Invocation, admitted: () => void): Promise<FinishedInvocation> {
    if (this.config.reserved !== undefined && this.running >= this.config.reserved)
      throw new ThrottledError('Rate Exceeded.');
    admitted();
    const release = this.clock.hold();
    this.running++;
    this.peak = Math.max(this.peak, this.running);
    await this.slots.take();
    try {
      const environment = this.environment();
      const result = await environment.invoke(invocation);
      this.keep(environment);
      return result;
    } finally {
      this.slots.give();
      this.running--;
      release();
    }
  }

  takePeak(): number {
    const { peak } = this;
    this.peak = this.running;
    return peak;
  }

  /** New code or settings: what runs ends as it is, what comes next starts anew. */
  renew(config: FunctionConfig): void {
    this.config = config;
    for (const environment of this.all) this.stale.add(environment);
    for (const { environment } of [...this.idle]) this.discard(environment);
  }

  /** As a crash would: every process of the function is gone at once, whatever it does. */
  crash(): void {
    for (const environment of this.all) environment.kill();
  }

  /** Ends every process; what still waits for its turn is refused. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.sweep?.cancel();
    const all = [...this.all];
    for (const environment of all) this.discard(environment);
    await Promise.all(all.map(({ exited }) => exited));
  }

  private environment(): ExecutionEnvironment {
    if (this.stopped) throw new Error(`the function ${this.config.name} has been stopped`);
    for (;;) {
      const known = this.idle.pop()?.environment;
      if (known === undefined) break;
      this.slots.use(known);
      if (known.alive) return known;
      this.all.delete(known);
    }
    const started = new ExecutionEnvironment(this.optionsOf(this.config));
    this.all.add(started);
    return started;
  }

  private keep(environment: ExecutionEnvironment): void {
    if (this.stopped || !environment.alive || this.stale.has(environment)) {
      this.discard(environment);
      return;
    }
    this.idle.push({ environment, since: this.clock.now() });
    this.slots.rest(environment, () => this.discard(environment));
    this.sweepLater();
  }

  private discard(environment: ExecutionEnvironment): void {
    const at = this.idle.findIndex((one) => one.environment === environment);
    if (at >= 0) this.idle.splice(at, 1);
    this.slots.use(environment);
    this.all.delete(environment);
    if (environment.alive) environment.kill();
  }

  private sweepLater(): void {
    const [oldest] = this.idle;
    if (this.sweep !== undefined || oldest === undefined || this.stopped) return;
    this.sweep = this.clock.after(oldest.since + IDLE_MS - this.clock.now(), () => {
      this.sweep = undefined;
      const { idle, clock } = this;
      for (const { environment, since } of [...idle])
        if (since + IDLE_MS <= clock.now()) this.discard(environment);
      this.sweepLater();
    });
  }
}
