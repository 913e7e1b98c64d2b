import type { Branch } from './branch';
import { isDistributed, type StateGraph } from './definition';
import { runDistributedMap } from './distributed-map';
import { contextOf, itemsOf, select } from './map-items';
import { BranchCancelled, checkSize, ExecutionEnded, StateFailure } from './states-error';
import { type Interpretation, innerFrame, type Visit, wholeNumber } from './visit';

/** https://docs.aws.amazon.com/step-functions/latest/dg/state-map-inline.html */
const MAXIMUM_AT_ONCE = 40;

export async function runMap(run: Interpretation, visit: Visit): Promise<unknown[]> {
  if (isDistributed(visit.state)) return runDistributedMap(run, visit);
  const { branch } = visit.frame;
  const items = await itemsOf(run, visit);
  const wanted = (await wholeNumber(run, visit, 'MaxConcurrency', 0)) ?? 0;
  const limit = wanted > 0 ? Math.min(wanted, MAXIMUM_AT_ONCE) : MAXIMUM_AT_ONCE;
  branch.lastEvent = run.history.add('MapStateStarted', branch.lastEvent, { length: items.length });
  try {
    const results: unknown[] = new Array(items.length);
    let next = 0;
    const line = async (fork: () => Branch): Promise<void> => {
      const own = fork();
      const started = own.lastEvent;
      try {
        for (let index = next++; index < items.length; index = next++) {
          own.lastEvent = started;
          results[index] = await iterate(run, visit, own, items[index], index);
        }
      } finally {
        own.done();
      }
    };
    await branch.together(Array.from({ length: Math.min(limit, items.length) }, () => line));
    checkSize(results, visit.name);
    branch.lastEvent = run.history.add('MapStateSucceeded', branch.lastEvent);
    return results;
  } catch (error) {
    if (error instanceof StateFailure)
      branch.lastEvent = run.history.add('MapStateFailed', branch.lastEvent, {
        error: error.error,
        cause: error.reason,
      });
    throw error;
  }
}

async function iterate(
  run: Interpretation,
  visit: Visit,
  branch: Branch,
  item: unknown,
  index: number,
): Promise<unknown> {
  const details = { name: visit.name, index };
  branch.lastEvent = run.history.add('MapIterationStarted', branch.lastEvent, details);
  try {
    const iteration = await select(run, visit, item, index);
    const graph = visit.state.ItemProcessor as StateGraph;
    const frame = innerFrame(visit, graph, contextOf(visit, iteration), branch);
    const result = await run.graph(run, frame, iteration.input);
    run.history.add('MapIterationSucceeded', branch.lastEvent, details);
    return result;
  } catch (error) {
    if (error instanceof StateFailure) run.history.add('MapIterationFailed', branch.lastEvent, details);
    else if (
      error instanceof BranchCancelled ||
      (error instanceof ExecutionEnded && error.status === 'ABORTED')
    )
      run.history.add('MapIterationAborted', branch.lastEvent, details);
    throw error;
  }
}
