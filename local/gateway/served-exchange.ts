import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock/clock';
import type { Exchange, Identity } from './service';

/** An exchange that holds the clock while it is served and does not wait. */
export class ServedExchange implements Exchange {
  private release: (() => void) | undefined;
  private waits = 0;
  private ended = false;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly identity: Identity,
    private readonly clock: Clock,
  ) {
    this.release = clock.hold();
  }

  get isWaiting(): boolean {
    return this.waits > 0;
  }

  waiting(): () => void {
    this.waits++;
    this.release?.();
    this.release = undefined;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.waits--;
      if (!this.ended && this.waits === 0) this.release = this.clock.hold();
    };
  }

  end(): void {
    this.ended = true;
    this.release?.();
    this.release = undefined;
  }
}
