import type { VisibilityChange } from '../../lib/core/consumer-queues';
import type { Incoming } from './incoming';
import { metricLines } from './metrics';
import { type ReportedFailure, writeReports } from './report';
import type { ConsumerServices } from './services';
import type { BatchResponse } from './types';

/** What became of each message of one event. It lives as long as the invocation: nothing carries over (field rule F25). */
export class Batch {
  private readonly open: Map<string, Incoming>;
  private readonly succeeded: Incoming[] = [];
  private readonly failures: ReportedFailure[] = [];
  private readonly delays = new Map<string, { readonly url: string; readonly changes: VisibilityChange[] }>();
  private readonly codes = new Map<string, number>();
  private duplicates = 0;
  private retried = 0;
  private isolatedCount = 0;
  private laterCount = 0;

  constructor(
    private readonly services: ConsumerServices,
    readonly all: readonly Incoming[],
  ) {
    this.open = new Map(all.map((incoming) => [incoming.record.messageId, incoming]));
  }

  get fifo(): boolean {
    return this.all.some(({ fifo }) => fifo);
  }

  /** With native isolation: the receives that are left are used up without calling the handler. */
  permanentBefore({ record }: Incoming): boolean {
    return nativelyIsolated.has(record.messageId);
  }

  done(incoming: Incoming, duplicate: boolean): boolean {
    this.open.delete(incoming.record.messageId);
    this.succeeded.push(incoming);
    if (duplicate) this.duplicates++;
    return true;
  }

  isolated(failure: ReportedFailure): boolean {
    this.open.delete(failure.incoming.record.messageId);
    this.failures.push(failure);
    this.count(failure);
    this.isolatedCount++;
    return true;
  }

  retry(failure: ReportedFailure, seconds: number): boolean {
    this.failures.push(failure);
    this.count(failure);
    this.retried++;
    this.delay(failure.incoming, seconds);
    if (failure.isolation !== undefined) remember(failure.incoming.record.messageId);
    return false;
  }

  /** Left without an attempt; without `seconds` it comes back after the visibility timeout of the queue. */
  later(incoming: Incoming, code: string, seconds?: number): boolean {
    this.laterCount++;
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    if (seconds !== undefined) this.delay(incoming, seconds);
    return false;
  }

  /** Writes everything down and makes the answer. Only ids of the event are in it, and none is empty. */
  async conclude(): Promise<BatchResponse> {
    const { services } = this;
    const response = {
      batchItemFailures: [...this.open.keys()].map((itemIdentifier) => ({ itemIdentifier })),
    };
    const [storeErrors] = await Promise.all([
      writeReports(this.failures, this.succeeded, services),
      this.applyDelays(),
    ]);
    for (const { incoming, classification, signature, reason } of this.failures)
      if (classification.failureClass === 'unknown')
        services.log(
          JSON.stringify({
            level: 'ERROR',
            code: classification.code,
            reason,
            signature,
            queue: incoming.queueName,
            messageId: incoming.originalMessageId,
            attempt: incoming.attempt,
          }),
        );
    const queue = this.all[0]?.queueName ?? 'none';
    const counts = {
      processed: this.all.length,
      succeeded: this.succeeded.length,
      duplicates: this.duplicates,
      retried: this.retried,
      isolated: this.isolatedCount,
      unknown: this.failures.filter(({ classification }) => classification.failureClass === 'unknown').length,
      later: this.laterCount,
      storeErrors,
    };
    for (const line of metricLines(
      { queue, consumer: services.consumerName, nowMs: services.now() },
      counts,
      this.codes,
    ))
      services.log(line);
    return response;
  }

  private count({ classification }: ReportedFailure): void {
    this.codes.set(classification.code, (this.codes.get(classification.code) ?? 0) + 1);
  }

  private delay({ queue, redriven, record }: Incoming, seconds: number): void {
    const url = redriven ? queue?.replayUrl : queue?.sourceUrl;
    if (url === undefined) return;
    const known = this.delays.get(url) ?? { url, changes: [] };
    known.changes.push({ receiptHandle: record.receiptHandle, seconds });
    this.delays.set(url, known);
  }

  /** A delay that can't be set changes nothing about the answer: the message comes back with the queue's own timeout. */
  private async applyDelays(): Promise<void> {
    await Promise.all(
      [...this.delays.values()].map(async ({ url, changes }) => {
        const failed = await this.services.sqs.changeVisibility(url, changes).catch(() => changes.length);
        if (failed > 0)
          this.services.log(
            JSON.stringify({ level: 'WARN', code: 'BACKOFF_NOT_SET', queue: url, messages: failed }),
          );
      }),
    );
  }
}

/** Permanent failures that wait for SQS to move them; ids only, and a lost one costs a handler call. */
const nativelyIsolated = new Set<string>();
const REMEMBERED = 10_000;

function remember(messageId: string): void {
  if (nativelyIsolated.size >= REMEMBERED)
    nativelyIsolated.delete(nativelyIsolated.values().next().value as string);
  nativelyIsolated.add(messageId);
}
