import { matchesError, RetryState } from './retry';
import { StateFailure } from './states-error';
import { type Interpretation, leave, type Outcome, type Visit } from './visit';

/** Performs a Task, Parallel or Map with its Retry and Catch around. */
export async function withErrors(
  run: Interpretation,
  visit: Visit,
  perform: () => Promise<unknown>,
): Promise<Outcome> {
  const { state, frame } = visit;
  const retries = new RetryState(state.Retry ?? []);
  for (;;) {
    try {
      const result = await perform();
      return await leave(run, visit, state, result, { result });
    } catch (error) {
      if (!(error instanceof StateFailure)) throw error;
      recordEvaluation(run, visit, error);
      const seconds = retries.delayFor(error.error, () => run.random());
      if (seconds === undefined) return handle(run, visit, error);
      await frame.branch.sleep(seconds * 1000);
      const before = visit.context['State'] as object;
      visit.context = { ...visit.context, State: { ...before, RetryCount: retries.total } };
    }
  }
}

async function handle(run: Interpretation, visit: Visit, failure: StateFailure): Promise<Outcome> {
  const catcher = (visit.state.Catch ?? []).find(({ ErrorEquals }) =>
    matchesError(failure.error, ErrorEquals),
  );
  if (catcher === undefined) throw failure;
  const errorOutput = { Error: failure.error, Cause: failure.reason };
  return leave(run, visit, catcher, errorOutput, { errorOutput });
}

/** A failure goes up through the states around it, and is an event of the innermost alone. */
const recorded = new WeakSet<StateFailure>();

/** https://docs.aws.amazon.com/step-functions/latest/apireference/API_EvaluationFailedEventDetails.html */
export function recordEvaluation(run: Interpretation, { name, frame }: Visit, failure: unknown): void {
  if (!(failure instanceof StateFailure) || recorded.has(failure)) return;
  recorded.add(failure);
  if (failure.error !== 'States.QueryEvaluationError') return;
  frame.branch.lastEvent = run.history.add('EvaluationFailed', frame.branch.lastEvent, {
    error: failure.error,
    cause: failure.reason,
    state: name,
  });
}
