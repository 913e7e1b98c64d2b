import type { MessageOrder } from './message-order';
import type { StoredMessage } from './stored-message';

const SHRINK_FROM = 4096;

/** Oldest visibility first: a message that comes back goes to the end. */
export class StandardOrder implements MessageOrder {
  private line: (StoredMessage | undefined)[] = [];
  private head = 0;

  added(message: StoredMessage): void {
    if (message.state === 'visible') this.line.push(message);
  }

  becameVisible(message: StoredMessage): void {
    this.line.push(message);
  }

  removed(): void {
    // Its place in the line is passed over when its turn comes.
  }

  take(maximum: number, deliver: (message: StoredMessage) => boolean): StoredMessage[] {
    const taken: StoredMessage[] = [];
    while (taken.length < maximum && this.head < this.line.length) {
      const message = this.line[this.head] as StoredMessage;
      this.line[this.head++] = undefined;
      if (message.state === 'visible' && deliver(message)) taken.push(message);
    }
    if (this.head === this.line.length) this.clear();
    else if (this.head > SHRINK_FROM && this.head * 2 > this.line.length) {
      this.line = this.line.slice(this.head);
      this.head = 0;
    }
    return taken;
  }

  clear(): void {
    this.line = [];
    this.head = 0;
  }
}
