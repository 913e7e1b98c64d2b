import { checkSize, StateFailure } from './states-error';
import { type Interpretation, innerFrame, type Visit, value } from './visit';

/** Runs every branch at once. https://docs.aws.amazon.com/step-functions/latest/dg/state-parallel.html */
export async function runParallel(run: Interpretation, visit: Visit): Promise<unknown[]> {
  const { state, frame, context } = visit;
  const { branch } = frame;
  const input = state.Arguments === undefined ? visit.input : await value(run, visit, state.Arguments);
  branch.lastEvent = run.history.add('ParallelStateStarted', branch.lastEvent);
  try {
    const results = await branch.together(
      (state.Branches ?? []).map((graph) => async (fork) => {
        const own = fork();
        try {
          return await run.graph(run, innerFrame(visit, graph, context, own), input);
        } finally {
          own.done();
        }
      }),
    );
    checkSize(results, visit.name);
    branch.lastEvent = run.history.add('ParallelStateSucceeded', branch.lastEvent);
    return results;
  } catch (error) {
    if (error instanceof StateFailure)
      branch.lastEvent = run.history.add('ParallelStateFailed', branch.lastEvent, {
        error: error.error,
        cause: error.reason,
      });
    throw error;
  }
}
