/** What is known at the end of the demo, from places that know nothing of each other. */
export interface Account {
  /** Distinct delivery ids that the producer got a message id for. */
  readonly delivered: ReadonlySet<string>;
  /** Business effects by delivery id, as the downstream counted them. */
  readonly effects: ReadonlyMap<string, number>;
  /** Delivery ids of the messages that are in the dead-letter queue now. */
  readonly deadLettered: readonly string[];
  /** Messages left in the source queue and the replay queue, in flight and delayed ones included. */
  readonly stillQueued: number;
}

export interface Balance {
  readonly holds: boolean;
  readonly delivered: number;
  readonly effective: number;
  readonly deadLettered: number;
  readonly stillQueued: number;
  /** Delivered, and now nowhere. */
  readonly lost: readonly string[];
  /** More than one business effect. */
  readonly twice: readonly string[];
  /** Took effect and is in the dead-letter queue all the same: a redrive would try it again. */
  readonly both: readonly string[];
  /** An effect that nobody delivered. */
  readonly unknown: readonly string[];
}

/** Every delivery has had exactly one effect or is in the dead-letter queue; nothing else. */
export function balanceOf({ delivered, effects, deadLettered, stillQueued }: Account): Balance {
  const held = new Set(deadLettered);
  const effective = [...effects.keys()];
  const lost = [...delivered].filter((id) => !effects.has(id) && !held.has(id));
  const twice = effective.filter((id) => (effects.get(id) ?? 0) > 1);
  const both = effective.filter((id) => held.has(id));
  const unknown = [...effective, ...held].filter((id) => !delivered.has(id));
  return {
    holds:
      delivered.size > 0 &&
      stillQueued === 0 &&
      [lost, twice, both, unknown].every((ids) => ids.length === 0),
    delivered: delivered.size,
    effective: effective.length,
    deadLettered: held.size,
    stillQueued,
    lost,
    twice,
    both,
    unknown,
  };
}
