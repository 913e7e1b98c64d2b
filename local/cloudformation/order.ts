export interface Edge {
  readonly to: string;
  /** Why: the path of the reference, or DependsOn. */
  readonly reason: string;
}

export interface Order {
  /** Dependencies first; otherwise in the order given. Members of cycles are left out, with all that needs them. */
  readonly sequence: readonly string[];
  /** Each as the way around, such as `A (Properties.X) → B (DependsOn) → A`. */
  readonly cycles: readonly string[];
}

export function orderOf(nodes: readonly string[], edgesOf: (node: string) => readonly Edge[]): Order {
  const sequence: string[] = [];
  const cycles: string[] = [];
  const state = new Map<string, 'open' | 'done' | 'broken'>();
  const trail: { node: string; reason: string }[] = [];

  const visit = (node: string): boolean => {
    const known = state.get(node);
    if (known === 'done') return true;
    if (known === 'broken') return false;
    if (known === 'open') {
      const start = trail.findIndex((step) => step.node === node);
      const around = trail.slice(start).map((step) => `${step.node} (${step.reason}) → `);
      cycles.push(`${around.join('')}${node}`);
      return false;
    }
    state.set(node, 'open');
    let whole = true;
    for (const { to, reason } of edgesOf(node)) {
      trail.push({ node, reason });
      whole = visit(to) && whole;
      trail.pop();
    }
    state.set(node, whole ? 'done' : 'broken');
    if (whole) sequence.push(node);
    return whole;
  };
  for (const node of nodes) visit(node);
  return { sequence, cycles };
}
