import type { StoredMessage } from './stored-message';

/**
 * In which order a queue hands its visible messages out. The queue tells of every change of state;
 * `take` asks `deliver` for each candidate, which may also drop it (expired, or moved to the dead-letter queue).
 */
export interface MessageOrder {
  /** A new message, visible or delayed. */
  added(message: StoredMessage): void;
  /** Delayed or in flight before, visible now. */
  becameVisible(message: StoredMessage): void;
  /** Deleted, moved or expired; `before` is the state that it had. */
  removed(message: StoredMessage, before: StoredMessage['state']): void;
  take(maximum: number, deliver: (message: StoredMessage) => boolean): StoredMessage[];
  clear(): void;
}
