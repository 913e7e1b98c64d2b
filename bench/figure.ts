/** What one measurement says, as it is printed: one JSON line a figure. */
export interface Figure {
  readonly figure: string;
  readonly ours: number;
  readonly peer: number;
  readonly unit: string;
  /** ours / peer, of the medians. */
  readonly ratio: number;
  /** For example `<=0.7` or `>=20000`. */
  readonly goal: string;
  readonly met: boolean;
}

export interface Measured {
  readonly figure: string;
  readonly unit: string;
  readonly ours: readonly number[];
  /** Empty where there is no peer: then the goal is about our own figure. */
  readonly peer: readonly number[];
  readonly goal: { readonly atMost: number } | { readonly atLeast: number };
}

/** The median of both sides counts; a missed goal is printed as missed. */
export function figureOf({ figure, unit, ours, peer, goal }: Measured): Figure {
  const mine = median(ours);
  const theirs = peer.length === 0 ? 0 : median(peer);
  const ratio = peer.length === 0 ? 0 : mine / theirs;
  const compared = peer.length === 0 ? mine : ratio;
  const met = 'atMost' in goal ? compared <= goal.atMost : compared >= goal.atLeast;
  return {
    figure,
    ours: round(mine),
    peer: round(theirs),
    unit,
    ratio: round(ratio),
    goal: 'atMost' in goal ? `<=${goal.atMost}` : `>=${goal.atLeast}`,
    met,
  };
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('nothing was measured');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
