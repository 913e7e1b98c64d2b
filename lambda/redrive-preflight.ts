import { redriveAdapters } from '../lib/aws/redrive-adapters';
import { preflightRun } from '../lib/operations/preflight-run';

interface Input {
  readonly runId: string;
  readonly executionArn: string;
}

/** First step of a run: takes the queue for it and asks every check. */
export async function handler({ runId, executionArn }: Input) {
  const { queueOf, store, clock, checks } = redriveAdapters();
  return preflightRun(runId, await queueOf(runId), { store, clock, checks, executionArn });
}
