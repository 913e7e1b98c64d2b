/**
 * Processes on this machine, over all functions: how many run at once, while more invocations wait for their turn,
 * and how many are kept warm, of which the longest unused goes first.
 */
export class ProcessSlots {
  private used = 0;
  private readonly line: (() => void)[] = [];
  private readonly resting = new Map<object, () => void>();

  constructor(
    readonly limit: number,
    private readonly warm: number,
  ) {}

  async take(): Promise<void> {
    if (this.used < this.limit) {
      this.used++;
      return;
    }
    await new Promise<void>((resolve) => this.line.push(resolve));
  }

  give(): void {
    const next = this.line.shift();
    if (next === undefined) this.used--;
    else next();
  }

  /** Has no work any more; `discard` ends it when too many are kept. */
  rest(owner: object, discard: () => void): void {
    this.resting.set(owner, discard);
    if (this.resting.size <= this.warm) return;
    const [oldest] = this.resting.values();
    oldest?.();
  }

  use(owner: object): void {
    this.resting.delete(owner);
  }
}
