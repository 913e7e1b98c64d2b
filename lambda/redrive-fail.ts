import { redriveAdapters } from '../lib/aws/redrive-adapters';
import { failRun } from '../lib/operations/fail-run';

interface Input {
  readonly runId: string;
  readonly error: string;
  readonly cause: string;
}

/** Last resort of the state machine: lets go of everything and says why. */
export async function handler({ runId, error, cause }: Input) {
  const { queueOf, queues, ledger, store, clock, announce } = redriveAdapters();
  await failRun(runId, `${error}: ${cause}`, await queueOf(runId), {
    queues,
    ledger,
    store,
    clock,
    announce,
  });
}
