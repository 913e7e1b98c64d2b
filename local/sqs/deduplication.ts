/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html */
const WINDOW_MS = 5 * 60 * 1000;

export interface AcceptedSend {
  readonly messageId: string;
  readonly sequence: string;
}

/** Remembers what a FIFO queue took in the last five minutes, whether or not it was consumed since. */
export class Deduplication {
  private readonly accepted = new Map<string, AcceptedSend & { readonly until: number }>();

  find(key: string, now: number): AcceptedSend | undefined {
    const known = this.accepted.get(key);
    return known !== undefined && known.until > now ? known : undefined;
  }

  remember(key: string, send: AcceptedSend, now: number): void {
    for (const [old, { until }] of this.accepted) {
      if (until > now) break;
      this.accepted.delete(old);
    }
    this.accepted.delete(key);
    this.accepted.set(key, { ...send, until: now + WINDOW_MS });
  }

  /** With the time at which each was taken, for the journal. */
  entries(): IterableIterator<[string, AcceptedSend & { readonly until: number }]> {
    return this.accepted.entries();
  }
}
