import { isSelective } from '../core/redrive-plan';
import { delayOf, laneShare, sliceAt } from '../core/redrive-rate';
import { isSelected } from '../core/redrive-selection';
import { messageBytes, packed, redriveDeduplicationId, traceHeaderWithoutLineage } from '../core/resend';
import { addCounts, type MoveCounts, NOTHING_MOVED, type RunRecord } from '../core/run-record';
import { isMoving } from '../core/run-states';
import { loadRun } from './begin-run';
import {
  type Clock,
  type DeadLetter,
  iso,
  type Knowledge,
  type Ledger,
  type ManagedQueue,
  type Moved,
  type RedriveQueues,
  type RunStore,
} from './redrive-ports';

/** Longest that a message met by a run stays hidden, in seconds: also what a killed run leaves behind. */
const HOLD_SECONDS = 900;
/** For a message that is sent or let go within the same call. */
const SHORT_HOLD_SECONDS = 120;
/** SQS answers a short poll from a part of its servers; so many empty ones in a row count as empty. */
const EMPTY_POLLS = 3;
/** A redriven message is not to be handled before its ledger entry is written. */
const LEAD_SECONDS = 1;

export interface MoveDependencies {
  readonly queues: RedriveQueues;
  readonly ledger: Ledger;
  readonly store: RunStore;
  readonly clock: Clock;
  /** Milliseconds that the call may still take. */
  readonly remainingMs: () => number;
}

export interface MovedSlice {
  readonly counts: MoveCounts;
  /** True when the dead-letter queue gave nothing more. */
  readonly empty: boolean;
  /** Until the next slice is due, in seconds. */
  readonly seconds: number;
}

interface Chosen {
  readonly message: DeadLetter;
  readonly knowledge: Knowledge;
}

/** After a slice that found nothing to move. */
const IDLE_SECONDS = 5;
const STOP_MARGIN_MS = 15_000;
const BATCH = 10;

/**
 * One slice of a run in one lane: takes from the dead-letter queue, sends, confirms, writes down, deletes.
 * A crash between two of these leaves the message in the dead-letter queue and, at worst, a second copy with the same
 * operation; never nothing.
 */
export async function moveSlice(
  { runId, lane, lanes }: { readonly runId: string; readonly lane: number; readonly lanes: number },
  queue: ManagedQueue,
  dependencies: MoveDependencies,
): Promise<MovedSlice> {
  const { store, queues, clock } = dependencies;
  const run = await loadRun(store, runId);
  if (!isMoving(run.state) || run.requested !== undefined)
    return { counts: NOTHING_MOVED, empty: false, seconds: 0 };
  const slice = sliceAt(rateOf(run), queue.fifo, run.owed);
  const budget = laneShare(Math.min(slice.budget, roomOf(run)), lane, lanes);
  await store.count(runId, { moved: { slicesBegun: 1 } });
  const mover = new Mover(run, queue, dependencies);
  let emptyPolls = 0;
  while (mover.moved < budget && emptyPolls < EMPTY_POLLS && dependencies.remainingMs() > STOP_MARGIN_MS) {
    const selective = isSelective(run.plan.select);
    const wanted = selective ? BATCH : Math.min(BATCH, budget - mover.moved);
    const messages = await queues.receive(
      queue.deadLetterUrl,
      wanted,
      selective ? HOLD_SECONDS : SHORT_HOLD_SECONDS,
    );
    if (messages.length === 0) {
      emptyPolls++;
      continue;
    }
    emptyPolls = 0;
    await mover.take(
      messages,
      budget,
      (index) => LEAD_SECONDS + delayOf(index, { ...slice, budget }, queue.fifo),
    );
  }
  await store.count(runId, { moved: { ...mover.counts, slicesEnded: 1 } });
  if (lane === 0) {
    const latest = await loadRun(store, runId);
    await store.save(latest, {
      owed: budget === 0 && slice.budget > 0 ? run.owed : slice.owed,
      ...(mover.moved > 0 ? { lastSentAt: iso(clock.now()) } : {}),
    });
  }
  return {
    counts: mover.counts,
    empty: emptyPolls >= EMPTY_POLLS,
    seconds: mover.moved > 0 ? slice.seconds : IDLE_SECONDS,
  };
}

/** Messages per second at this point of the ramp; a canary goes at the first step. */
export function rateOf({ rate, plan, rampStep, state }: RunRecord): number {
  const share =
    state === 'canary' ? (plan.ramp[0] ?? 100) : (plan.ramp[Math.min(rampStep, plan.ramp.length - 1)] ?? 100);
  return Math.max(0.1, (rate * share) / 100);
}

/** How many messages the run may still take. */
function roomOf({ state, plan, counts }: RunRecord): number {
  const taken = counts.sent + counts.discarded;
  const limit = plan.maximumMessages ?? Number.POSITIVE_INFINITY;
  const canary = state === 'canary' ? (plan.canary?.size ?? 0) : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.min(limit, canary) - taken);
}

/**
 * A copy that was sent by a mover which died before it could write that down. The original was not deleted then, and is
 * in the dead-letter queue or sent again since: nothing is lost with the copy. Nobody else sends to the replay queue.
 */
export function isOrphan(
  { sourceArn }: DeadLetter,
  { sent }: Knowledge,
  { replayArn }: ManagedQueue,
): boolean {
  return replayArn !== undefined && sourceArn === replayArn && sent === undefined;
}

/** What one lane does with the messages that it receives. */
class Mover {
  counts: MoveCounts = NOTHING_MOVED;

  constructor(
    private readonly run: RunRecord,
    private readonly queue: ManagedQueue,
    private readonly dependencies: MoveDependencies,
  ) {}

  get moved(): number {
    return this.counts.sent + this.counts.discarded;
  }

  async take(
    messages: readonly DeadLetter[],
    budget: number,
    delayAt: (index: number) => number,
  ): Promise<void> {
    const { queues, ledger } = this.dependencies;
    const url = this.queue.deadLetterUrl;
    const known = await ledger.know(
      this.queue.name,
      messages.map(({ messageId }) => messageId),
    );
    const chosen: Chosen[] = [];
    const reconciled: string[] = [];
    const leftAlone: string[] = [];
    const overBudget: string[] = [];
    messages.forEach((message, index) => {
      const knowledge = known[index] ?? { taken: false };
      if (knowledge.taken || isOrphan(message, knowledge, this.queue)) reconciled.push(message.receiptHandle);
      else if (!this.isChosen(message, knowledge)) leftAlone.push(message.receiptHandle);
      else if (this.moved + chosen.length < budget) chosen.push({ message, knowledge });
      else overBudget.push(message.receiptHandle);
    });
    if (leftAlone.length > 0) {
      const seconds = isSelective(this.run.plan.select) ? HOLD_SECONDS : SHORT_HOLD_SECONDS;
      await ledger.hold(this.run.runId, leftAlone, this.dependencies.clock.now() + seconds * 1000);
    }
    if (overBudget.length > 0) await queues.release(url, overBudget);
    if (reconciled.length > 0) {
      await queues.delete(url, reconciled);
      this.counts = addCounts(this.counts, { reconciled: reconciled.length });
    }
    if (this.run.plan.action === 'discard') await this.discard(chosen);
    else
      for (const batch of packed(chosen, ({ message }) => messageBytes(message.body, message.attributes)))
        await this.send(batch, delayAt);
  }

  private isChosen(message: DeadLetter, { sent, failure }: Knowledge): boolean {
    const { plan } = this.run;
    const redrives = sent?.redrives ?? failure?.redrives ?? 0;
    const selected = isSelected(
      {
        messageId: message.messageId,
        originalMessageId: sent?.originalMessageId ?? message.messageId,
        receiveCount: message.receiveCount,
        redrives,
        ...(message.sourceArn === undefined ? {} : { sourceArn: message.sourceArn }),
        ...(failure === undefined ? {} : { failure }),
      },
      plan.select,
    );
    if (!selected) {
      this.counts = addCounts(this.counts, { notSelected: 1 });
      return false;
    }
    // What this run sent and got back is not sent again by it.
    if (sent?.runId === this.run.runId) return false;
    if (redrives >= plan.parkAfter && plan.includeParked !== true) {
      this.counts = addCounts(this.counts, { parked: 1 });
      return false;
    }
    return true;
  }

  private async discard(chosen: readonly Chosen[]): Promise<void> {
    if (chosen.length === 0) return;
    const at = iso(this.dependencies.clock.now());
    await this.dependencies.ledger.write(
      chosen.map(({ message, knowledge }) => ({
        entry: { ...this.entry(message, knowledge, at), outcome: 'discarded' as const, outcomeAt: at },
      })),
    );
    await this.dependencies.queues.delete(
      this.queue.deadLetterUrl,
      chosen.map(({ message }) => message.receiptHandle),
    );
    this.counts = addCounts(this.counts, { discarded: chosen.length });
  }

  private async send(batch: readonly Chosen[], delayAt: (index: number) => number): Promise<void> {
    const { queues, ledger, clock } = this.dependencies;
    const { plan, runId } = this.run;
    const destination =
      (plan.destination === 'replay-queue' ? this.queue.replayUrl : undefined) ?? this.queue.sourceUrl;
    const copies = batch.map(({ message }, index) => {
      const traceHeader = traceHeaderWithoutLineage(message.traceHeader);
      return {
        body: message.body,
        attributes: message.attributes,
        delaySeconds: this.queue.fifo ? 0 : delayAt(this.counts.sent + index),
        ...(message.groupId === undefined ? {} : { groupId: message.groupId }),
        ...(this.queue.fifo ? { deduplicationId: redriveDeduplicationId(runId, message.messageId) } : {}),
        ...(traceHeader === undefined ? {} : { traceHeader }),
      };
    });
    const results = await queues.send(destination, copies);
    const at = iso(clock.now());
    const moved: Moved[] = [];
    const done: string[] = [];
    const busy: string[] = [];
    let refused = 0;
    results.forEach((result, index) => {
      const { message, knowledge } = batch[index] as Chosen;
      if (!('messageId' in result)) {
        if (result.retryable) busy.push(message.receiptHandle);
        else {
          // It stays hidden where it is, and the account says so.
          moved.push({ entry: { ...this.entry(message, knowledge, at), outcome: 'held', outcomeAt: at } });
          refused++;
        }
        return;
      }
      const entry = { ...this.entry(message, knowledge, at), newMessageId: result.messageId };
      moved.push({ entry, sent: this.sentRecord(message, knowledge, result.messageId, at) });
      done.push(message.receiptHandle);
    });
    if (moved.length > 0) await ledger.write(moved);
    if (done.length > 0) await queues.delete(this.queue.deadLetterUrl, done);
    if (busy.length > 0) await queues.release(this.queue.deadLetterUrl, busy);
    this.counts = addCounts(this.counts, { sent: done.length, refused });
  }

  private entry(message: DeadLetter, { sent, failure }: Knowledge, sentAt: string) {
    return {
      runId: this.run.runId,
      originalMessageId: sent?.originalMessageId ?? message.messageId,
      deadLetterMessageId: message.messageId,
      sentAt,
      ...(this.run.state === 'canary' ? { canary: true } : {}),
      ...(failure === undefined ? {} : { signature: failure.signature }),
    };
  }

  private sentRecord(
    message: DeadLetter,
    { sent, failure }: Knowledge,
    newMessageId: string,
    sentAt: string,
  ) {
    return {
      runId: this.run.runId,
      queueName: this.queue.name,
      originalMessageId: sent?.originalMessageId ?? message.messageId,
      newMessageId,
      originalSentAt: sent?.originalSentAt ?? message.sentAt,
      attemptsBefore: failure?.attempts ?? sent?.attemptsBefore ?? 0,
      redrives: (sent?.redrives ?? failure?.redrives ?? 0) + 1,
      sentAt,
    };
  }
}
