import { type InvocationResult, type QueueMessage, type QueueSource, ThrottledError } from '../gateway/ports';
import type { AccessRequest, Environment, Identity } from '../gateway/service';
import { judgeBatch } from './batch-response';
import { messageFilter } from './filters';
import type { FunctionConfig } from './function-config';
import type { MappingConfig } from './mapping-config';
import { sqsBatch } from './sqs-event';

const POLL_MS = 20_000;
const BATCH_READ = 10;
/** More can't be in one event, so gathering ends there. */
const GATHERED_BYTES = 6 * 1024 * 1024;
/** Wait before a throttled batch is tried again, doubled each time. */
const THROTTLE_MS = 1_000;
const RIGHTS = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'] as const;

export interface MappingSurroundings {
  readonly environment: Environment;
  readonly queues: QueueSource;
  identityOf(roleArn: string): Identity;
  /** Invocations that the machine carries at once. */
  readonly processes: number;
}

/** The function that a mapping feeds. */
export interface MappedFunction {
  readonly config: FunctionConfig;
  invoke(payload: string, records: number): Promise<InvocationResult>;
}

interface Received {
  readonly messages: readonly QueueMessage[];
  /** When the first of them was received: their visibility runs from there. */
  readonly at: number;
}

/** Polls one queue for one function. */
export class EventSourceMapping {
  lastResult = 'No records processed';
  private poller: AbortController | undefined;
  private busy = 0;
  private passes: (body: string) => boolean;
  private readonly roomWaiters: (() => void)[] = [];

  constructor(
    public config: MappingConfig,
    private readonly mapped: MappedFunction,
    private readonly around: MappingSurroundings,
  ) {
    this.passes = messageFilter(config.filters);
  }

  get state(): 'Enabled' | 'Disabled' {
    return this.config.enabled ? 'Enabled' : 'Disabled';
  }

  /** The right on the queue that the function's role lacks, as AWS says it. */
  refusal(): string | undefined {
    const { environment, identityOf } = this.around;
    const identity = identityOf(this.mapped.config.roleArn);
    const missing = RIGHTS.find((right) => {
      const request: AccessRequest = { identity, action: `sqs:${right}`, resource: this.config.queueArn };
      return environment.authorize(request) !== undefined;
    });
    return missing && `The provided execution role does not have permissions to call ${missing} on SQS`;
  }

  start(): void {
    if (!this.config.enabled || this.poller !== undefined) return;
    const refusal = this.refusal();
    if (refusal !== undefined) {
      this.problem(refusal);
      return;
    }
    this.poller = new AbortController();
    void this.poll(this.poller.signal);
  }

  stop(): void {
    this.poller?.abort();
    this.poller = undefined;
    for (const goOn of this.roomWaiters.splice(0)) goOn();
  }

  reconfigure(config: MappingConfig): void {
    this.config = config;
    this.passes = messageFilter(config.filters);
    this.stop();
    this.start();
  }

  /** One poller finds messages; batches run side by side up to the maximum concurrency. */
  private async poll(signal: AbortSignal): Promise<void> {
    const { fifo = false } = this.around.queues.describe(this.config.queueArn) ?? {};
    while (!signal.aborted) {
      await this.room(signal);
      if (signal.aborted) return;
      let received: Received;
      try {
        received = await this.gather(signal);
      } catch (error) {
        if (!signal.aborted) this.problem(`Error occurred while ReceiveMessage. ${String(error)}`);
        return;
      }
      let rest = this.filtered(received.messages);
      while (rest.length > 0) {
        const messages = rest;
        rest = [];
        await this.room(signal);
        // In a FIFO queue a message waits for those before it, also for those in another event.
        if (fifo) this.carry(() => this.inOrder({ ...received, messages }, signal));
        else {
          const batch = this.cut(messages);
          rest = batch.rest;
          this.carry(() => this.process(batch, received.at, signal));
        }
      }
    }
  }

  private carry(work: () => Promise<unknown>): void {
    this.busy++;
    void work().finally(() => {
      this.busy--;
      this.roomWaiters.shift()?.();
    });
  }

  private async room(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { maximumConcurrency = Number.POSITIVE_INFINITY } = this.config;
      if (signal.aborted || this.busy < Math.min(maximumConcurrency, this.around.processes)) return;
      await new Promise<void>((resolve) => this.roomWaiters.push(resolve));
    }
  }

  /** What is there, and with a window what comes until the batch is full or the window ends. */
  private async gather(signal: AbortSignal): Promise<Received> {
    const { queueArn, batchSize, window } = this.config;
    const { queues, environment } = this.around;
    const read = (waitMs: number, room: number) =>
      queues.receive(queueArn, { maximum: Math.min(room, BATCH_READ), waitMs, signal });
    const messages = [...(await read(POLL_MS, batchSize))];
    const at = environment.clock.now();
    const until = at + window * 1000;
    let bytes = sizeOf(messages);
    while (
      messages.length > 0 &&
      messages.length < batchSize &&
      bytes < GATHERED_BYTES &&
      environment.clock.now() < until &&
      !signal.aborted
    ) {
      const more = await read(until - environment.clock.now(), batchSize - messages.length);
      if (more.length === 0) break;
      messages.push(...more);
      bytes += sizeOf(more);
    }
    return { messages, at };
  }

  /** Deletes what no filter lets through, as AWS does. */
  private filtered(messages: readonly QueueMessage[]): readonly QueueMessage[] {
    const wanted = messages.filter(({ body }) => this.passes(body));
    if (wanted.length < messages.length) {
      const kept = new Set(wanted);
      this.delete(messages.filter((message) => !kept.has(message)));
    }
    return wanted;
  }

  private cut(messages: readonly QueueMessage[]) {
    return sqsBatch(messages, this.config.queueArn, this.around.environment.region);
  }

  /** Event after event; a message group of which one failed stays hidden until its visibility ends. */
  private async inOrder({ messages, at }: Received, signal: AbortSignal): Promise<void> {
    for (let rest = messages; rest.length > 0; ) {
      const batch = this.cut(rest);
      const failed = await this.process(batch, at, signal);
      const stuck = new Set(batch.messages.filter(({ messageId }) => failed.has(messageId)).map(groupOf));
      rest = batch.rest.filter((message) => !stuck.has(groupOf(message)));
    }
  }

  /** Answers the ids of the messages that are not done. */
  private async process(
    { messages, payload }: { readonly messages: readonly QueueMessage[]; readonly payload: string },
    receivedAt: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const { environment } = this.around;
    const { queueArn, functionName } = this.config;
    const failed = await this.invoke(payload, messages, receivedAt, signal);
    this.delete(messages.filter(({ messageId }) => !failed.has(messageId)));
    this.lastResult = failed.size === 0 ? 'OK' : 'PROBLEM: Function call failed';
    environment.emit({
      type: 'lambda.mapping-batch',
      at: environment.clock.now(),
      detail: { queueArn, functionName, size: messages.length, failed: failed.size },
    });
    return failed;
  }

  private async invoke(
    payload: string,
    messages: readonly QueueMessage[],
    receivedAt: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const ids = messages.map(({ messageId }) => messageId);
    const { environment, queues } = this.around;
    const { clock } = environment;
    const giveUpAt = receivedAt + (queues.describe(this.config.queueArn)?.visibilitySeconds ?? 0) * 1000;
    for (let wait = THROTTLE_MS; ; wait *= 2) {
      try {
        const { payload: answer, functionError } = await this.mapped.invoke(payload, messages.length);
        if (functionError !== undefined) return new Set(ids);
        if (!this.config.reportsItemFailures) return new Set();
        const verdict = judgeBatch(answer, ids);
        if (verdict.kind === 'all-failed') return new Set(ids);
        return verdict.kind === 'some-failed' ? verdict.failed : new Set();
      } catch (error) {
        if (!(error instanceof ThrottledError) || clock.now() + wait >= giveUpAt) return new Set(ids);
        await this.pause(wait, signal);
        if (signal.aborted) return new Set(ids);
      }
    }
  }

  private pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.around.environment.clock.after(ms, () => {
        signal.removeEventListener('abort', leave);
        resolve();
      });
      const leave = (): void => {
        timer.cancel();
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  private delete(messages: readonly QueueMessage[]): void {
    if (messages.length === 0) return;
    const handles = messages.map(({ receiptHandle }) => receiptHandle);
    this.around.queues.delete(this.config.queueArn, handles);
  }

  private problem(problem: string): void {
    const { emit, clock } = this.around.environment;
    const { queueArn, functionName } = this.config;
    this.lastResult = `PROBLEM: ${problem}`;
    emit({ type: 'lambda.mapping-problem', at: clock.now(), detail: { queueArn, functionName, problem } });
  }
}

function groupOf({ attributes }: QueueMessage): string | undefined {
  return attributes['MessageGroupId'];
}

function sizeOf(messages: readonly QueueMessage[]): number {
  return messages.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
}
