import { type LambdaContext, redriveAdapters } from '../lib/aws/redrive-adapters';
import { moveSlice } from '../lib/operations/move-slice';

interface Input {
  readonly runId: string;
  readonly lane: number;
  readonly lanes: number;
}

/** One slice of a run in one lane. Answers counts only: bodies never enter the state. */
export async function handler(input: Input, context: LambdaContext) {
  const { queueOf, queues, ledger, store, clock } = redriveAdapters();
  return moveSlice(input, await queueOf(input.runId), {
    queues,
    ledger,
    store,
    clock,
    remainingMs: () => context.getRemainingTimeInMillis(),
  });
}
