/** Furthest that a send may lie ahead, in seconds: a stop leaves at most this much traffic under way. */
export const LOOK_AHEAD_SECONDS = 10;

/** What one step of the mover does before it is asked again. */
export interface Slice {
  /** How many messages may be sent. */
  readonly budget: number;
  /** Until the next slice, in whole seconds. */
  readonly seconds: number;
}

/**
 * The next slice at a rate of messages per second. `owed` is the fraction of a message that the slices before left
 * over, so that 0.3 a second is kept over a run as well as 30. FIFO queues know no delay by message: their slices
 * last a second and are paced by waiting.
 */
export function sliceAt(rate: number, fifo: boolean, owed = 0): Slice & { readonly owed: number } {
  const seconds =
    rate < 1 / LOOK_AHEAD_SECONDS ? Math.ceil((1 - owed) / rate) : fifo ? 1 : LOOK_AHEAD_SECONDS;
  const exact = rate * seconds + owed;
  const budget = Math.floor(exact + 1e-9);
  return { budget, seconds, owed: Math.max(0, exact - budget) };
}

/** DelaySeconds of the nth message of a slice, so that each second gets its share. */
export function delayOf(index: number, slice: Slice, fifo: boolean): number {
  if (fifo || slice.budget === 0) return 0;
  return Math.min(Math.floor((index * slice.seconds) / slice.budget), LOOK_AHEAD_SECONDS - 1);
}

/** The lane's part of a number: parts add up to it, and no two differ by more than one. */
export function laneShare(total: number, lane: number, lanes: number): number {
  return Math.floor((total * (lane + 1)) / lanes) - Math.floor((total * lane) / lanes);
}

/** Messages per second that one lane carries with room to spare. */
export const LANE_RATE = 400;

export function lanesFor(rate: number): number {
  return Math.max(1, Math.ceil(rate / LANE_RATE));
}
