import type { Branch } from './branch';
import type { StateGraph } from './definition';
import { History } from './history';
import { batch, contextOf, type Iteration, itemsOf, select } from './map-items';
import { checkSize, ExecutionEnded, StateFailure } from './states-error';
import { type Interpretation, type Visit, value, wholeNumber } from './visit';

/** https://docs.aws.amazon.com/step-functions/latest/dg/state-map-distributed.html */
const MAXIMUM_AT_ONCE = 10_000;

/**
 * A Map of mode DISTRIBUTED over items of the state. Each iteration has a history and variables of its own, as the
 * child executions on AWS have, but none of them can be listed or described here.
 */
export async function runDistributedMap(run: Interpretation, visit: Visit): Promise<unknown[]> {
  const { branch } = visit.frame;
  const { ItemBatcher: batcher } = visit.state;
  const items = await itemsOf(run, visit);
  const selected: Iteration[] = [];
  for (const [index, item] of items.entries()) selected.push(await select(run, visit, item, index));
  const iterations = batcher === undefined ? selected : await batch(run, visit, selected);
  const wanted = (await wholeNumber(run, visit, 'MaxConcurrency', 0)) ?? 0;
  const limit = wanted > 0 ? Math.min(wanted, MAXIMUM_AT_ONCE) : MAXIMUM_AT_ONCE;
  const tolerated = await toleratedFailures(run, visit, items.length);
  branch.lastEvent = run.history.add('MapStateStarted', branch.lastEvent, { length: items.length });
  branch.lastEvent = run.history.add('MapRunStarted', branch.lastEvent);
  const results: { readonly output: unknown }[] = [];
  let next = 0;
  let failed = 0;
  const line = async (fork: () => Branch): Promise<void> => {
    const own = fork();
    try {
      for (let index = next++; index < iterations.length; index = next++) {
        const iteration = iterations[index] as Iteration;
        try {
          results[index] = { output: await child(run, visit, own, iteration) };
        } catch (error) {
          if (!(error instanceof StateFailure)) throw error;
          failed += batcher === undefined ? 1 : (iteration.input as { Items: unknown[] }).Items.length;
          if (failed > tolerated)
            throw new StateFailure(
              'States.ExceedToleratedFailureThreshold',
              'The specified tolerated failure threshold was exceeded',
            );
        }
      }
    } finally {
      own.done();
    }
  };
  try {
    await branch.together(Array.from({ length: Math.min(limit, iterations.length) }, () => line));
    // A failed iteration leaves a hole, which the result does not have.
    const outputs = results.filter(() => true).map(({ output }) => output);
    checkSize(outputs, visit.name);
    branch.lastEvent = run.history.add('MapRunSucceeded', branch.lastEvent);
    branch.lastEvent = run.history.add('MapStateSucceeded', branch.lastEvent);
    return outputs;
  } catch (error) {
    if (error instanceof StateFailure) {
      const details = { error: error.error, cause: error.reason };
      branch.lastEvent = run.history.add('MapRunFailed', branch.lastEvent, details);
      branch.lastEvent = run.history.add('MapStateFailed', branch.lastEvent, details);
    }
    throw error;
  }
}

async function child(
  run: Interpretation,
  visit: Visit,
  branch: Branch,
  iteration: Iteration,
): Promise<unknown> {
  const history = new History(() => run.now());
  branch.lastEvent = history.add('ExecutionStarted', 0);
  const graph = visit.state.ItemProcessor as StateGraph;
  const frame = { graph, branch, context: contextOf(visit, iteration), variables: Object.create(null) };
  try {
    return await run.graph({ ...run, history }, frame, iteration.input);
  } catch (error) {
    // A child that reached its own limit of events has failed, and not the execution around it.
    if (error instanceof ExecutionEnded && error.status === 'FAILED')
      throw new StateFailure(error.error ?? 'States.Runtime', error.reason ?? '');
    throw error;
  }
}

/** How many items may fail; 0 unless the definition says more. */
async function toleratedFailures(run: Interpretation, visit: Visit, items: number): Promise<number> {
  const count = await wholeNumber(run, visit, 'ToleratedFailureCount', 0);
  const { ToleratedFailurePercentage: template } = visit.state;
  if (template === undefined) return count ?? 0;
  const percentage = await value(run, visit, template);
  if (typeof percentage !== 'number' || !(percentage >= 0 && percentage <= 100))
    throw new StateFailure(
      'States.QueryEvaluationError',
      `ToleratedFailurePercentage of state '${visit.name}' must be from 0 to 100.`,
    );
  const share = (items * percentage) / 100;
  // Where both are given, the first that is exceeded ends the state.
  return count === undefined ? share : Math.min(count, share);
}
