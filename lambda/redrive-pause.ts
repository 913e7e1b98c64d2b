import { redriveAdapters } from '../lib/aws/redrive-adapters';
import { parkExecution } from '../lib/operations/pause-execution';

interface Input {
  readonly runId: string;
  readonly taskToken: string;
}

/** Keeps the token with which a resume wakes the execution: a paused run costs nothing. */
export async function handler({ runId, taskToken }: Input) {
  await parkExecution(runId, taskToken, redriveAdapters().store);
}
