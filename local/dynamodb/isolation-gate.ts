/**
 * Lets any number of single-item operations run side by side, but a transaction only alone, so that nobody
 * sees or changes an item in the middle of one. A waiting transaction goes before later operations.
 */
export class IsolationGate {
  private running = 0;
  private exclusive = false;
  private readonly waitingTransactions: (() => void)[] = [];
  private readonly waitingOperations: (() => void)[] = [];

  async operation<T>(work: () => Promise<T>): Promise<T> {
    if (this.exclusive || this.waitingTransactions.length > 0) {
      await new Promise<void>((resolve) => this.waitingOperations.push(resolve));
    } else {
      this.running++;
    }
    try {
      return await work();
    } finally {
      this.running--;
      this.next();
    }
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.exclusive || this.running > 0) {
      await new Promise<void>((resolve) => this.waitingTransactions.push(resolve));
    } else {
      this.exclusive = true;
    }
    try {
      return await work();
    } finally {
      this.exclusive = false;
      this.next();
    }
  }

  private next(): void {
    if (this.exclusive || this.running > 0) return;
    const transaction = this.waitingTransactions.shift();
    if (transaction !== undefined) {
      this.exclusive = true;
      transaction();
      return;
    }
    for (const operation of this.waitingOperations.splice(0)) {
      this.running++;
      operation();
    }
  }
}
