interface Entry<T> {
  readonly due: number;
  readonly item: T;
}

/** Below this size dead entries are not worth a rebuild. */
const COMPACT_FROM = 1024;

/** The earliest due item first. Items that changed their mind stay in until they surface, or until they are the most. */
export class DueHeap<T> {
  private entries: Entry<T>[] = [];

  /** `isCurrent` says whether an entry still counts. */
  constructor(private readonly isCurrent: (item: T, due: number) => boolean) {}

  push(due: number, item: T): void {
    const entries = this.entries;
    const entry = { due, item };
    let index = entries.length;
    entries.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((entries[parent] as Entry<T>).due <= due) break;
      entries[index] = entries[parent] as Entry<T>;
      index = parent;
    }
    entries[index] = entry;
  }

  /** When the first current item falls due. */
  nextDue(): number | undefined {
    for (;;) {
      const first = this.entries[0];
      if (first === undefined || this.isCurrent(first.item, first.due)) return first?.due;
      this.removeFirst();
    }
  }

  /** Takes the first current item that is due at `now`. */
  takeDue(now: number): T | undefined {
    const due = this.nextDue();
    if (due === undefined || due > now) return undefined;
    const item = (this.entries[0] as Entry<T>).item;
    this.removeFirst();
    return item;
  }

  /** Lets go of entries that no longer count when they are more than the `live` ones. */
  compact(live: number): void {
    if (this.entries.length < COMPACT_FROM || this.entries.length <= 2 * live) return;
    // Ascending order is a heap.
    this.entries = this.entries
      .filter(({ item, due }) => this.isCurrent(item, due))
      .sort((a, b) => a.due - b.due);
  }

  clear(): void {
    this.entries = [];
  }

  private removeFirst(): void {
    const entries = this.entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= entries.length) break;
      if (
        child + 1 < entries.length &&
        (entries[child + 1] as Entry<T>).due < (entries[child] as Entry<T>).due
      )
        child++;
      if ((entries[child] as Entry<T>).due >= last.due) break;
      entries[index] = entries[child] as Entry<T>;
      index = child;
    }
    entries[index] = last;
  }
}
