import { loadRun } from './begin-run';
import type { RunStore } from './redrive-ports';

/** Resumed before the execution could wait; the state machine goes on when it sees this name. */
export class RunNotPaused extends Error {
  override readonly name = 'RunNotPaused';
}

/** Stores the token of the waiting execution. Throws RunNotPaused when the run goes on already. */
export async function parkExecution(runId: string, taskToken: string, store: RunStore): Promise<void> {
  const run = await loadRun(store, runId);
  const saved = run.state === 'paused' ? await store.save(run, { taskToken }) : undefined;
  if (saved === undefined) throw new RunNotPaused(runId);
}
