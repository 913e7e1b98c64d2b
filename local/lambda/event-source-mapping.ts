import { type InvocationResult, type QueueMessage, type QueueSource, ThrottledError } from '../gateway/ports';
import type { AccessRequest, Environment, Identity } from '../gateway/service';
import { judgeBatch } from './batch-response';
import { passesFilters } from './filters';
import type { FunctionConfig } from './function-config';
import type { MappingConfig } from './mapping-config';
import { sqsEvent } from './sqs-event';

const POLL_MS = 20_000;
const BATCH_READ = 10;
/** Of the records in one event. https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventsourcemapping.html */
const MAXIMUM_EVENT_BYTES = 6 * 1024 * 1024;
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
  invoke(payload: string): Promise<InvocationResult>;
}

/** Polls one queue for one function. */
export class EventSourceMapping {
  lastResult = 'No records processed';
  private poller: AbortController | undefined;
  private busy = 0;
  private readonly roomWaiters: (() => void)[] = [];

  constructor(
    public config: MappingConfig,
    private readonly mapped: MappedFunction,
    private readonly around: MappingSurroundings,
  ) {}

  get state(): 'Enabled' | 'Disabled' {
    return this.config.enabled ? 'Enabled' : 'Disabled';
  }

  start(): void {
    if (!this.config.enabled || this.poller !== undefined) return;
    const refusal = this.refusal();
    if (refusal !== undefined) {
      this.lastResult = `PROBLEM: The provided execution role does not have permissions to call ${refusal} on SQS`;
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
    this.stop();
    this.start();
  }

  /** One poller finds messages; batches run side by side up to the maximum concurrency. */
  private async poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.room();
      if (signal.aborted) return;
      const batch = await this.gather(signal).catch(() => undefined);
      if (batch === undefined) return;
      if (batch.length === 0) continue;
      this.busy++;
      void this.process(batch).finally(() => {
        this.busy--;
        this.roomWaiters.shift()?.();
      });
    }
  }

  private room(): Promise<void> {
    const { maximumConcurrency = Number.POSITIVE_INFINITY } = this.config;
    if (this.busy < Math.min(maximumConcurrency, this.around.processes)) return Promise.resolve();
    return new Promise((resolve) => this.roomWaiters.push(resolve));
  }

  /** A batch: what is there, and with a window what comes until it is full or the window ends. */
  private async gather(signal: AbortSignal): Promise<QueueMessage[]> {
    const { queueArn, batchSize, window } = this.config;
    const { queues, environment } = this.around;
    const first = await queues.receive(queueArn, {
      maximum: Math.min(batchSize, BATCH_READ),
      waitMs: POLL_MS,
      signal,
    });
    const batch = [...first];
    const until = environment.clock.now() + window * 1000;
    let bytes = sizeOf(batch);
    while (
      batch.length > 0 &&
      batch.length < batchSize &&
      window > 0 &&
      bytes < MAXIMUM_EVENT_BYTES &&
      !signal.aborted
    ) {
      const left = until - environment.clock.now();
      if (left <= 0) break;
      const more = await queues.receive(queueArn, {
        maximum: Math.min(batchSize - batch.length, BATCH_READ),
        waitMs: left,
        signal,
      });
      if (more.length === 0) break;
      batch.push(...more);
      bytes += sizeOf(more);
    }
    return batch;
  }

  private async process(received: readonly QueueMessage[]): Promise<void> {
    const { queues, environment } = this.around;
    const { queueArn, filters, functionName } = this.config;
    const batch = received.filter(({ body }) => passesFilters(filters, body));
    const dropped = received.filter((message) => !batch.includes(message));
    if (dropped.length > 0) queues.delete(queueArn, handlesOf(dropped));
    if (batch.length === 0) return;
    const payload = JSON.stringify(sqsEvent(batch, queueArn, environment.region));
    const failed = await this.invoke(payload, batch);
    const done = batch.filter(({ messageId }) => !failed.has(messageId));
    if (done.length > 0) queues.delete(queueArn, handlesOf(done));
    this.lastResult = failed.size === 0 ? 'OK' : 'PROBLEM: Function call failed';
    environment.emit({
      type: 'lambda.mapping-batch',
      at: environment.clock.now(),
      detail: { queueArn, functionName, size: batch.length, failed: failed.size },
    });
  }

  /** Answers the ids that are not done. */
  private async invoke(payload: string, batch: readonly QueueMessage[]): Promise<ReadonlySet<string>> {
    const ids = batch.map(({ messageId }) => messageId);
    const { clock } = this.around.environment;
    const giveUpAt =
      clock.now() + (this.around.queues.describe(this.config.queueArn)?.visibilitySeconds ?? 0) * 1000;
    for (let wait = THROTTLE_MS; ; wait *= 2) {
      try {
        const { payload: answer, functionError } = await this.mapped.invoke(payload);
        if (functionError !== undefined) return new Set(ids);
        if (!this.config.reportsItemFailures) return new Set();
        const verdict = judgeBatch(answer, ids);
        if (verdict.kind === 'all-failed') return new Set(ids);
        return verdict.kind === 'some-failed' ? verdict.failed : new Set();
      } catch (error) {
        if (!(error instanceof ThrottledError)) return new Set(ids);
        this.count('Throttles');
        if (clock.now() + wait >= giveUpAt) return new Set(ids);
        await clock.sleep(wait);
      }
    }
  }

  private refusal(): string | undefined {
    const { environment, identityOf } = this.around;
    const identity = identityOf(this.mapped.config.roleArn);
    return RIGHTS.find((right) => {
      const request: AccessRequest = { identity, action: `sqs:${right}`, resource: this.config.queueArn };
      return environment.authorize(request) !== undefined;
    });
  }

  private count(name: string): void {
    this.around.environment.metrics.put({
      namespace: 'AWS/Lambda',
      name,
      dimensions: { FunctionName: this.config.functionName },
      value: 1,
      unit: 'Count',
    });
  }
}

function handlesOf(messages: readonly QueueMessage[]): string[] {
  return messages.map(({ receiptHandle }) => receiptHandle);
}

function sizeOf(messages: readonly QueueMessage[]): number {
  return messages.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
}
