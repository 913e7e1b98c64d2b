/** Below this size dead entries are not worth a rebuild. */
const COMPACT_FROM = 1024;

/**
 * The earliest due item first. Items that changed their mind stay in until they surface, or until they are the most.
 * Two arrays side by side: with a million messages an object for each entry would be felt.
 */
export class DueHeap<T> {
  private dues: number[] = [];
  private items: T[] = [];

  /** `isCurrent` says whether an entry still counts. */
  constructor(private readonly isCurrent: (item: T, due: number) => boolean) {}

  push(due: number, item: T): void {
    let index = this.items.length;
    this.dues.push(due);
    this.items.push(item);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.dueAt(parent) <= due) break;
      this.place(index, this.dueAt(parent), this.items[parent] as T);
      index = parent;
    }
    this.place(index, due, item);
  }

  /** When the first current item falls due. */
  nextDue(): number | undefined {
    while (this.items.length > 0) {
      if (this.isCurrent(this.items[0] as T, this.dueAt(0))) return this.dueAt(0);
      this.removeFirst();
    }
    return undefined;
  }

  /** Takes the first current item that is due at `now`. */
  takeDue(now: number): T | undefined {
    const due = this.nextDue();
    if (due === undefined || due > now) return undefined;
    const item = this.items[0] as T;
    this.removeFirst();
    return item;
  }

  /** Lets go of entries that no longer count when they are more than the `live` ones. */
  compact(live: number): void {
    if (this.items.length < COMPACT_FROM || this.items.length <= 2 * live) return;
    const entries = this.items.map((item, index) => ({ item, due: this.dueAt(index) }));
    this.clear();
    for (const { item, due } of entries) if (this.isCurrent(item, due)) this.push(due, item);
  }

  clear(): void {
    this.dues = [];
    this.items = [];
  }

  private removeFirst(): void {
    const item = this.items.pop() as T;
    const due = this.dues.pop() as number;
    if (this.items.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.items.length) break;
      if (child + 1 < this.items.length && this.dueAt(child + 1) < this.dueAt(child)) child++;
      if (this.dueAt(child) >= due) break;
      this.place(index, this.dueAt(child), this.items[child] as T);
      index = child;
    }
    this.place(index, due, item);
  }

  private dueAt(index: number): number {
    return this.dues[index] as number;
  }

  private place(index: number, due: number, item: T): void {
    this.dues[index] = due;
    this.items[index] = item;
  }
}
