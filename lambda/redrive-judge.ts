import { redriveAdapters } from '../lib/aws/redrive-adapters';
import { judgeRun } from '../lib/operations/judge-run';

interface Input {
  readonly runId: string;
  readonly empty: boolean;
}

/** After each slice: outcomes, stop rules, the operator's wishes. */
export async function handler({ runId, empty }: Input) {
  const { queueOf, queues, ledger, store, clock } = redriveAdapters();
  const queue = await queueOf(runId);
  return judgeRun(runId, empty, queue, {
    ledger,
    store,
    clock,
    depth: () => queues.depth(queue.deadLetterUrl),
  });
}
