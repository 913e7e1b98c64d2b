import { md5 } from './body-checksum';

export interface MessageAttribute {
  readonly dataType: string;
  readonly stringValue?: string;
  readonly binaryValue?: Buffer;
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

/** What a producer gave, already checked. */
export interface MessageDraft {
  readonly body: string;
  readonly attributes?: MessageAttributes;
  readonly traceHeader?: string;
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly senderId: string;
}

/** Delayed: never received and not yet visible. In flight: received and hidden. Gone: deleted, moved or expired. */
export type MessageState = 'delayed' | 'visible' | 'in-flight' | 'gone';

/** A message in one queue. Moving makes a new one in the other queue. */
export class StoredMessage {
  state: MessageState = 'visible';
  visibleAt = 0;
  /** As consumers see it: a move to the dead-letter queue keeps it. */
  receiveCount = 0;
  /** In this queue alone; the redrive policy counts these. */
  receivesHere = 0;
  firstReceivedAt = 0;
  lastReceivedAt = 0;

  constructor(
    /** Grows by one with each message of the queue. */
    readonly serial: number,
    readonly messageId: string,
    readonly body: string,
    readonly attributes: MessageAttributes | undefined,
    readonly senderId: string,
    /** SentTimestamp, from which a standard queue counts retention, in the dead-letter queue too. */
    readonly sentAt: number,
    /** Into this queue; the age metric counts from here. */
    readonly enqueuedAt: number,
    readonly groupId: string | undefined,
    readonly deduplicationId: string | undefined,
    readonly traceHeader: string | undefined,
    readonly deadLetterSourceArn: string | undefined,
  ) {}

  /** Computed when it is asked for: with a million messages waiting, the texts would be felt. */
  get md5(): string {
    return md5(this.body);
  }
}

/** 20 digits and growing within a queue. */
export function sequenceNumber(message: StoredMessage): string {
  return String(message.serial).padStart(20, '1');
}
