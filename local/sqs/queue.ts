import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../clock/clock';
import { md5 } from './body-checksum';
import { Deduplication } from './deduplication';
import { DueHeap } from './due-heap';
import { FifoOrder } from './fifo-order';
import type { MessageOrder } from './message-order';
import { PollLine } from './poll-line';
import { numberOf, type QueueAttributes, type RedrivePolicy, redrivePolicyOf } from './queue-settings';
import { StandardOrder } from './standard-order';
import { type MessageDraft, StoredMessage, sequenceNumber } from './stored-message';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html */
const IN_FLIGHT_LIMIT = { standard: 120_000, fifo: 20_000 };

/** What a queue asks of its surroundings. */
export interface QueueContext {
  readonly clock: Clock;
  /** The dead-letter queue that takes messages of `source`; undefined when it is gone or refuses them. */
  deadLetterQueue(arn: string, source: Queue): Queue | undefined;
  /** Told of every lasting change, before the caller is answered. */
  record(queue: Queue, change: QueueChange): void;
  emit(type: string, detail: Readonly<Record<string, unknown>>): void;
}

export type QueueChange =
  | { readonly kind: 'added' | 'received' | 'hidden'; readonly message: StoredMessage }
  | { readonly kind: 'removed'; readonly message: StoredMessage }
  | { readonly kind: 'purged' };

export class Queue {
  readonly live = new Map<number, StoredMessage>();
  readonly deduplication = new Deduplication();
  readonly polls: PollLine<StoredMessage[]>;
  tags: Record<string, string> = {};
  createdAt: number;
  modifiedAt: number;
  lastPurgedAt = Number.NEGATIVE_INFINITY;
  nextSerial = 1;
  inFlight = 0;
  delayed = 0;
  private readonly order: MessageOrder;
  private readonly due = new DueHeap<StoredMessage>(
    ({ state, visibleAt }, at) => (state === 'in-flight' || state === 'delayed') && visibleAt === at,
  );
  private readonly oldest = new DueHeap<StoredMessage>(({ state }) => state !== 'gone');
  private timer: { readonly at: number; readonly timer: Timer } | undefined;
  private redrive: RedrivePolicy | undefined;

  constructor(
    readonly name: string,
    readonly arn: string,
    readonly fifo: boolean,
    public attributes: QueueAttributes,
    private readonly context: QueueContext,
  ) {
    this.order = fifo ? new FifoOrder() : new StandardOrder();
    this.polls = new PollLine(context.clock);
    this.createdAt = context.clock.now();
    this.modifiedAt = this.createdAt;
    this.redrive = redrivePolicyOf(attributes['RedrivePolicy']);
  }

  get redrivePolicy(): RedrivePolicy | undefined {
    return this.redrive;
  }

  get visible(): number {
    return this.live.size - this.inFlight - this.delayed;
  }

  setAttributes(attributes: QueueAttributes): void {
    this.attributes = attributes;
    this.modifiedAt = this.context.clock.now();
    this.redrive = redrivePolicyOf(attributes['RedrivePolicy']);
  }

  /** A message from a producer. On FIFO a repeated one within five minutes answers the first and adds nothing. */
  send(draft: MessageDraft, delaySeconds?: number): { messageId: string; sequence?: string; md5: string } {
    const now = this.context.clock.now();
    const key = this.deduplicationKey(draft);
    const known = key === undefined ? undefined : this.deduplication.find(key, now);
    if (known !== undefined) return { ...known, md5: md5(draft.body) };
    const message = new StoredMessage(
      this.nextSerial++,
      randomUUID(),
      draft.body,
      draft.attributes,
      draft.senderId,
      now,
      now,
      draft.groupId,
      draft.deduplicationId,
      draft.traceHeader,
      undefined,
    );
    const delay = delaySeconds ?? numberOf(this.attributes, 'DelaySeconds');
    if (delay > 0) {
      message.state = 'delayed';
      message.visibleAt = now + delay * 1000;
    }
    this.add(message);
    const sequence = this.fifo ? sequenceNumber(message) : undefined;
    if (key !== undefined && sequence !== undefined)
      this.deduplication.remember(key, { messageId: message.messageId, sequence }, now);
    return {
      messageId: message.messageId,
      md5: message.md5,
      ...(sequence === undefined ? {} : { sequence }),
    };
  }

  /** Takes a message that exists: from a producer, from another queue, or from the journal. */
  add(message: StoredMessage): void {
    this.restore(message);
    this.context.record(this, { kind: 'added', message });
    if (message.state === 'visible') this.polls.wake();
  }

  restore(message: StoredMessage): void {
    this.nextSerial = Math.max(this.nextSerial, message.serial + 1);
    this.live.set(message.serial, message);
    this.oldest.push(message.sentAt, message);
    this.oldest.compact(this.live.size);
    if (message.state === 'in-flight') this.inFlight++;
    if (message.state === 'delayed') this.delayed++;
    this.order.added(message);
    if (message.state !== 'visible') this.wait(message);
  }

  /** Up to `maximum` messages, hidden for `visibilitySeconds`. Those whose receives are used up are moved instead. */
  receive(maximum: number, visibilitySeconds: number): StoredMessage[] {
    this.expire();
    const room = (this.fifo ? IN_FLIGHT_LIMIT.fifo : IN_FLIGHT_LIMIT.standard) - this.inFlight;
    const now = this.context.clock.now();
    const taken = this.order.take(Math.min(maximum, room), (message) => {
      if (this.deadLettered(message)) return false;
      message.state = 'in-flight';
      message.receiveCount++;
      message.receivesHere++;
      message.lastReceivedAt = now;
      message.firstReceivedAt ||= now;
      this.inFlight++;
      message.visibleAt = now + visibilitySeconds * 1000;
      return true;
    });
    for (const message of taken) {
      this.context.record(this, { kind: 'received', message });
      if (visibilitySeconds > 0) this.wait(message);
      else this.show(message);
    }
    return taken;
  }

  /** True when the in-flight limit leaves no room for another receive. */
  isOverLimit(): boolean {
    return this.inFlight >= (this.fifo ? IN_FLIGHT_LIMIT.fifo : IN_FLIGHT_LIMIT.standard);
  }

  remove(message: StoredMessage): void {
    const before = message.state;
    if (before === 'gone') return;
    if (before === 'in-flight') this.inFlight--;
    if (before === 'delayed') this.delayed--;
    message.state = 'gone';
    this.live.delete(message.serial);
    this.order.removed(message, before);
    this.due.compact(this.inFlight + this.delayed);
    this.oldest.compact(this.live.size);
    this.context.record(this, { kind: 'removed', message });
    // The next of its message group may be waited for.
    if (this.fifo && this.visible > 0) this.polls.wake();
  }

  /** Of a message in flight, counted from now. */
  changeVisibility(message: StoredMessage, seconds: number): void {
    message.visibleAt = this.context.clock.now() + seconds * 1000;
    this.context.record(this, { kind: 'hidden', message });
    if (seconds > 0) this.wait(message);
    else this.show(message);
  }

  purge(): void {
    for (const message of this.live.values()) message.state = 'gone';
    this.live.clear();
    this.order.clear();
    this.due.clear();
    this.oldest.clear();
    this.inFlight = 0;
    this.delayed = 0;
    this.lastPurgedAt = this.context.clock.now();
    this.context.record(this, { kind: 'purged' });
  }

  /** Drops what is older than the retention period. Everything that looks into the queue does so first. */
  expire(): void {
    const until = this.context.clock.now() - numberOf(this.attributes, 'MessageRetentionPeriod') * 1000;
    for (;;) {
      const message = this.oldest.takeDue(until);
      if (message === undefined) return;
      this.remove(message);
      this.context.emit('sqs.expired', { queue: this.name, messageId: message.messageId });
    }
  }

  close(): void {
    this.timer?.timer.cancel();
    this.timer = undefined;
    this.polls.endAll();
  }

  private deduplicationKey({ groupId, deduplicationId }: MessageDraft): string | undefined {
    if (!this.fifo || deduplicationId === undefined) return undefined;
    const scope = this.attributes['DeduplicationScope'] === 'messageGroup' ? groupId : '';
    return `${scope}\u0000${deduplicationId}`;
  }

  /** The move happens on the receive after the last allowed one. Id and receive count stay. */
  private deadLettered(message: StoredMessage): boolean {
    if (this.redrive === undefined || message.receivesHere < this.redrive.maxReceiveCount) return false;
    const target = this.context.deadLetterQueue(this.redrive.deadLetterTargetArn, this);
    if (target === undefined) return false;
    const now = this.context.clock.now();
    const moved = new StoredMessage(
      target.nextSerial,
      message.messageId,
      message.body,
      message.attributes,
      message.senderId,
      // A FIFO queue counts retention anew after the move, a standard queue does not.
      this.fifo ? now : message.sentAt,
      now,
      message.groupId,
      this.fifo ? message.messageId : message.deduplicationId,
      message.traceHeader,
      this.arn,
    );
    moved.receiveCount = message.receiveCount;
    moved.firstReceivedAt = message.firstReceivedAt;
    target.add(moved);
    this.remove(message);
    this.context.emit('sqs.dead-lettered', {
      queue: this.name,
      deadLetterQueue: target.name,
      messageId: message.messageId,
      receiveCount: message.receiveCount,
    });
    return true;
  }

  private wait(message: StoredMessage): void {
    this.due.push(message.visibleAt, message);
    if (this.timer === undefined || message.visibleAt < this.timer.at) this.schedule();
  }

  private schedule(): void {
    this.timer?.timer.cancel();
    const at = this.due.nextDue();
    this.timer =
      at === undefined
        ? undefined
        : { at, timer: this.context.clock.after(at - this.context.clock.now(), () => this.showDue()) };
  }

  private showDue(): void {
    this.timer = undefined;
    const now = this.context.clock.now();
    for (;;) {
      const message = this.due.takeDue(now);
      if (message === undefined) break;
      this.show(message);
    }
    this.schedule();
  }

  private show(message: StoredMessage): void {
    const before = message.state;
    if (before === 'gone' || before === 'visible') return;
    if (before === 'in-flight') this.inFlight--;
    else this.delayed--;
    message.state = 'visible';
    if (before === 'in-flight' || !this.fifo) this.order.becameVisible(message);
    this.polls.wake();
  }
}
