import type { MessageOrder } from './message-order';
import type { StoredMessage } from './stored-message';

interface MessageGroup {
  /** All that live, in the order in which they were sent; gone ones at the front are dropped as they surface. */
  messages: StoredMessage[];
  inFlight: number;
}

/**
 * Order within a message group; a group with a message in flight gives out nothing more.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
 */
export class FifoOrder implements MessageOrder {
  private readonly groups = new Map<string, MessageGroup>();
  /** Names of groups without a message in flight; the longest waiting first. */
  private readonly unlocked = new Set<string>();

  added(message: StoredMessage): void {
    const name = message.groupId as string;
    let group = this.groups.get(name);
    if (group === undefined) {
      group = { messages: [], inFlight: 0 };
      this.groups.set(name, group);
    }
    if (message.state === 'in-flight') group.inFlight++;
    group.messages.push(message);
    if (group.inFlight === 0) this.unlocked.add(name);
    else this.unlocked.delete(name);
  }

  becameVisible(message: StoredMessage): void {
    this.landed(message);
  }

  removed(message: StoredMessage, before: StoredMessage['state']): void {
    if (before === 'in-flight') this.landed(message);
    const name = message.groupId as string;
    const group = this.groups.get(name);
    if (group === undefined) return;
    while (group.messages[0]?.state === 'gone') group.messages.shift();
    if (group.messages.length === 0) {
      this.groups.delete(name);
      this.unlocked.delete(name);
    }
  }

  take(maximum: number, deliver: (message: StoredMessage) => boolean): StoredMessage[] {
    const taken: StoredMessage[] = [];
    for (const name of [...this.unlocked]) {
      if (taken.length >= maximum) break;
      const group = this.groups.get(name);
      if (group === undefined) continue;
      for (const message of [...group.messages]) {
        if (taken.length >= maximum) break;
        if (message.state === 'gone') continue;
        // A delayed message keeps those behind it back.
        if (message.state !== 'visible') break;
        if (!deliver(message)) continue;
        taken.push(message);
        group.inFlight++;
      }
      if (group.inFlight > 0) this.unlocked.delete(name);
    }
    return taken;
  }

  clear(): void {
    this.groups.clear();
    this.unlocked.clear();
  }

  private landed(message: StoredMessage): void {
    const name = message.groupId as string;
    const group = this.groups.get(name);
    if (group === undefined) return;
    if (group.inFlight > 0) group.inFlight--;
    if (group.inFlight === 0) this.unlocked.add(name);
  }
}
