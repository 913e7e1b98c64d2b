import { redriveAdapters } from '../lib/aws/redrive-adapters';
import { settleRun } from '../lib/operations/settle-run';

/** Waits for outcomes, then closes the account of the run. */
export async function handler({ runId }: { readonly runId: string }) {
  const { queueOf, queues, ledger, store, clock, announce } = redriveAdapters();
  const { done, waitSeconds } = await settleRun(runId, await queueOf(runId), {
    queues,
    ledger,
    store,
    clock,
    announce,
  });
  return { done, waitSeconds };
}
