import { preflightRun } from '../lib/operations/preflight-run';
import { redriveAdapters } from './redrive/adapters';

interface Input {
  readonly runId: string;
  readonly executionArn: string;
}

/** First step of a run: takes the queue for it and asks every check. */
export async function handler({ runId, executionArn }: Input) {
  const { queueOf, store, clock, checks } = redriveAdapters();
  return preflightRun(runId, await queueOf(runId), { store, clock, checks, executionArn });
}
