import { createHash } from 'node:crypto';
import type { ConsumerQueue } from '../../lib/core/consumer-environment';
import type { VisibilityChange } from '../../lib/core/consumer-queues';
import type { FailureGroupUpdate, FailureRecorder } from '../../lib/core/failure-recorder';
import type { Claim, ClaimAnswer, IdempotencyStore } from '../../lib/core/idempotency';
import type { FailureRecord, OutcomeRecord, SentRecord } from '../../lib/core/records';
import type { OutgoingCopy } from '../../lib/core/resend';
import type { ConsumerServices } from './services';

interface OperationRecord {
  status: 'INPROGRESS' | 'COMPLETED';
  fingerprint: string;
  holdUntilMs: number;
  expiresAt: number;
}

/** The queue that tests are fed from. */
export const TEST_QUEUE: ConsumerQueue = {
  sourceArn: 'arn:aws:sqs:eu-west-1:123456789012:test',
  sourceUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/test',
  deadLetterArn: 'arn:aws:sqs:eu-west-1:123456789012:test-dlq',
  deadLetterUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/test-dlq',
  replayArn: 'arn:aws:sqs:eu-west-1:123456789012:test-replay',
  replayUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/test-replay',
  maxReceiveCount: 5,
  visibilitySeconds: 180,
  retentionSeconds: 18 * 24 * 3600,
};

class MemoryIdempotency implements IdempotencyStore {
  readonly records = new Map<string, OperationRecord>();

  async claim({ key, fingerprint, nowMs, holdUntilMs, expiresAt }: Claim): Promise<ClaimAnswer> {
    const known = this.records.get(key);
    const free =
      known === undefined ||
      known.expiresAt < Math.floor(nowMs / 1000) ||
      (known.status === 'INPROGRESS' && known.holdUntilMs < nowMs);
    if (free) {
      this.records.set(key, { status: 'INPROGRESS', fingerprint, holdUntilMs, expiresAt });
      return {
        kind: 'claimed',
        leftover: known?.status === 'INPROGRESS' && known.fingerprint === fingerprint,
      };
    }
    if (known.fingerprint !== fingerprint) return { kind: 'other-payload' };
    return known.status === 'COMPLETED'
      ? { kind: 'completed' }
      : { kind: 'held', untilMs: known.holdUntilMs };
  }

  async complete({ key }: Claim): Promise<void> {
    const known = this.records.get(key);
    if (known !== undefined) known.status = 'COMPLETED';
  }

  async completeWith(claim: Claim): Promise<void> {
    await this.complete(claim);
  }

  async release({ key, holdUntilMs }: Claim): Promise<void> {
    const known = this.records.get(key);
    if (known?.status === 'INPROGRESS' && known.holdUntilMs === holdUntilMs) this.records.delete(key);
  }

  async leaveUncertain({ key }: Claim): Promise<void> {
    const known = this.records.get(key);
    if (known !== undefined) known.holdUntilMs = 0;
  }
}

class MemoryFailures implements FailureRecorder {
  readonly failures = new Map<string, FailureRecord>();
  readonly groups: FailureGroupUpdate[] = [];
  readonly outcomes: OutcomeRecord[] = [];
  readonly sent = new Map<string, SentRecord>();
  readonly succeeded: string[] = [];

  async lineage(messageIds: readonly string[]): Promise<Map<string, SentRecord>> {
    return new Map(
      messageIds.flatMap((id) => {
        const record = this.sent.get(id);
        return record === undefined ? [] : [[id, record] as const];
      }),
    );
  }

  async recordFailure(record: FailureRecord): Promise<void> {
    this.failures.set(record.originalMessageId, record);
  }

  async recordGroup(update: FailureGroupUpdate): Promise<void> {
    this.groups.push(update);
  }

  async recordSuccess(_queueName: string, originalMessageId: string): Promise<void> {
    this.succeeded.push(originalMessageId);
  }

  async recordIsolated(copy: SentRecord): Promise<void> {
    this.sent.set(copy.newMessageId, copy);
  }

  async recordOutcomes(outcomes: readonly OutcomeRecord[]): Promise<void> {
    this.outcomes.push(...outcomes);
  }
}

/** Everything that a consumer works with, in memory; a test looks inside. */
export class MemoryServices implements ConsumerServices {
  readonly consumerName = 'test-consumer';
  readonly consumerVersion = '1';
  readonly idempotency = new MemoryIdempotency();
  readonly failures = new MemoryFailures();
  readonly queues: readonly ConsumerQueue[];
  /** Copies that were isolated. */
  readonly isolated: OutgoingCopy[] = [];
  readonly delays: VisibilityChange[] = [];
  readonly lines: string[] = [];
  /** Epoch milliseconds; a test moves it. */
  clock = Date.UTC(2026, 0, 5, 9);
  private copies = 0;

  constructor(queue: Partial<ConsumerQueue> = {}) {
    this.queues = [{ ...TEST_QUEUE, ...queue }];
  }

  readonly sqs = {
    changeVisibility: async (_url: string, changes: readonly VisibilityChange[]): Promise<number> => {
      this.delays.push(...changes);
      return 0;
    },
    send: async (_url: string, copies: readonly OutgoingCopy[]): Promise<(string | undefined)[]> => {
      this.isolated.push(...copies);
      return copies.map(() => `copy-${++this.copies}`);
    },
  };

  now(): number {
    return this.clock;
  }

  random(): number {
    return 0.5;
  }

  digest(text: string): string {
    return createHash('sha256').update(text).digest('hex');
  }

  log(line: string): void {
    this.lines.push(line);
  }
}
