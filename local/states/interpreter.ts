import type { ChoiceRule, State, StateGraph } from './definition';
import { evaluate } from './expression';
import { matchesError, RetryState } from './retry';
import { checkSize, ExecutionEnded, StateFailure } from './states-error';
import { runTask } from './task-state';
import {
  assign,
  bindingsOf,
  type Frame,
  type Interpretation,
  type Variables,
  type Visit,
  value,
} from './visit';

interface Outcome {
  readonly output: unknown;
  /** Absent: the graph ends. */
  readonly next?: string;
}

/** Runs a graph from its first state to an end, and answers the output. */
export async function runGraph(run: Interpretation, frame: Frame, input: unknown): Promise<unknown> {
  let name = frame.graph.StartAt;
  let value = input;
  for (;;) {
    const state = frame.graph.States[name] as State;
    const { branch } = frame;
    branch.lastEvent = run.history.add(`${state.Type}StateEntered`, branch.lastEvent, [
      'stateEnteredEventDetails',
      { name, input: value },
    ]);
    run.entered(name);
    const visit: Visit = {
      name,
      state,
      input: value,
      frame,
      context: {
        ...frame.context,
        State: { Name: name, EnteredTime: new Date(run.now()).toISOString(), RetryCount: 0 },
      },
    };
    const outcome = await runState(run, visit);
    if (outcome.output !== value) checkSize(outcome.output, name);
    if (state.Type !== 'Fail')
      branch.lastEvent = run.history.add(`${state.Type}StateExited`, branch.lastEvent, [
        'stateExitedEventDetails',
        { name, output: outcome.output },
      ]);
    if (outcome.next === undefined) return outcome.output;
    name = outcome.next;
    value = outcome.output;
  }
}

async function runState(run: Interpretation, visit: Visit): Promise<Outcome> {
  const { state } = visit;
  switch (state.Type) {
    case 'Pass':
      return finish(run, visit, visit.input, {});
    case 'Succeed':
      return { output: state.Output === undefined ? visit.input : await value(run, visit, state.Output) };
    case 'Fail':
      throw new StateFailure(
        String((await value(run, visit, state.Error)) ?? ''),
        String((await value(run, visit, state.Cause)) ?? ''),
      );
    case 'Choice':
      return choose(run, visit);
    case 'Wait':
      await visit.frame.branch.sleep(await waitMs(run, visit));
      return finish(run, visit, visit.input, {});
    default:
      return withErrors(run, visit);
  }
}

async function choose(run: Interpretation, visit: Visit): Promise<Outcome> {
  for (const rule of visit.state.Choices ?? []) {
    const condition = await value(run, visit, rule.Condition);
    if (typeof condition !== 'boolean')
      throw new StateFailure(
        'States.QueryEvaluationError',
        `A condition of state '${visit.name}' is not true or false.`,
      );
    if (condition) return follow(run, visit, rule);
  }
  const { Default: next, Output: output, Assign: assign } = visit.state;
  if (next === undefined)
    throw new StateFailure('States.NoChoiceMatched', `No choice of state '${visit.name}' matched.`);
  return follow(run, visit, {
    Next: next,
    Condition: true,
    ...(output === undefined ? {} : { Output: output }),
    ...(assign === undefined ? {} : { Assign: assign }),
  });
}

async function follow(
  run: Interpretation,
  visit: Visit,
  { Next, Output, Assign }: ChoiceRule,
): Promise<Outcome> {
  const output = Output === undefined ? visit.input : await value(run, visit, Output);
  await assign(run, visit, Assign, {});
  return { output, next: Next };
}

/** Task, Parallel and Map: with Retry and Catch around. */
async function withErrors(run: Interpretation, visit: Visit): Promise<Outcome> {
  const { state, frame } = visit;
  const retries = new RetryState(state.Retry ?? []);
  for (;;) {
    try {
      const result = await perform(run, visit);
      return await finish(run, visit, result, { result });
    } catch (error) {
      if (!(error instanceof StateFailure)) throw error;
      const delay = retries.delayFor(error.error, () => run.random());
      if (delay !== undefined) {
        await frame.branch.sleep(delay * 1000);
        const before = visit.context['State'] as object;
        visit.context = { ...visit.context, State: { ...before, RetryCount: retries.total } };
        continue;
      }
      const catcher = (state.Catch ?? []).find(({ ErrorEquals }) => matchesError(error.error, ErrorEquals));
      if (catcher === undefined) throw error;
      const errorOutput = { Error: error.error, Cause: error.reason };
      const output =
        catcher.Output === undefined ? errorOutput : await value(run, visit, catcher.Output, { errorOutput });
      await assign(run, visit, catcher.Assign, { errorOutput });
      return { output, next: catcher.Next };
    }
  }
}

async function perform(run: Interpretation, visit: Visit): Promise<unknown> {
  const { state } = visit;
  if (state.Type === 'Task')
    return runTask(run, visit, (template, extra) => value(run, visit, template, extra));
  const input = state.Arguments === undefined ? visit.input : await value(run, visit, state.Arguments);
  if (state.Type === 'Parallel') {
    const { frame } = visit;
    frame.branch.lastEvent = run.history.add('ParallelStateStarted', frame.branch.lastEvent);
    const branches = (state.Branches ?? []).map((graph) => inner(run, visit, graph, input, visit.context));
    const results = await frame.branch.awaiting(all(branches));
    frame.branch.lastEvent = run.history.add('ParallelStateSucceeded', frame.branch.lastEvent);
    return results;
  }
  return runMap(run, visit);
}

/** Inline, at most 40 iterations at once. https://docs.aws.amazon.com/step-functions/latest/dg/state-map-inline.html */
async function runMap(run: Interpretation, visit: Visit): Promise<unknown[]> {
  const { state, frame, name } = visit;
  const items = state.Items === undefined ? visit.input : await value(run, visit, state.Items);
  if (!Array.isArray(items))
    throw new StateFailure('States.QueryEvaluationError', `Items of state '${name}' is not an array.`);
  const wanted =
    state.MaxConcurrency === undefined ? 0 : Number(await value(run, visit, state.MaxConcurrency));
  const limit = wanted > 0 ? Math.min(wanted, 40) : 40;
  frame.branch.lastEvent = run.history.add('MapStateStarted', frame.branch.lastEvent, [
    'mapStateStartedEventDetails',
    { length: items.length },
  ]);
  const results: unknown[] = new Array(items.length);
  let index = 0;
  const worker = async (): Promise<void> => {
    for (let mine = index++; mine < items.length; mine = index++) {
      const context = { ...visit.context, Map: { Item: { Index: mine, Value: items[mine] } } };
      const started = run.history.add('MapIterationStarted', frame.branch.lastEvent, [
        'mapIterationStartedEventDetails',
        { name, index: mine },
      ]);
      const input =
        state.ItemSelector === undefined
          ? items[mine]
          : await evaluate(state.ItemSelector, bindingsOf(run, visit, {}, context), name);
      results[mine] = await inner(run, visit, state.ItemProcessor as StateGraph, input, context, started);
      run.history.add('MapIterationSucceeded', started, [
        'mapIterationSucceededEventDetails',
        { name, index: mine },
      ]);
    }
  };
  await frame.branch.awaiting(all(Array.from({ length: Math.min(limit, items.length) }, worker)));
  frame.branch.lastEvent = run.history.add('MapStateSucceeded', frame.branch.lastEvent);
  return results;
}

async function inner(
  run: Interpretation,
  { frame }: Visit,
  graph: StateGraph,
  input: unknown,
  context: Record<string, unknown>,
  lastEvent = frame.branch.lastEvent,
): Promise<unknown> {
  const branch = frame.branch.fork();
  branch.lastEvent = lastEvent;
  try {
    return await runGraph(
      run,
      { graph, branch, context, variables: Object.create(frame.variables) as Variables },
      input,
    );
  } finally {
    branch.done();
  }
}

/** Like Promise.all, with every branch ended before the error goes on. */
async function all<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  const ended = settled.find(
    ({ status, ...rest }) =>
      status === 'rejected' && (rest as PromiseRejectedResult).reason instanceof ExecutionEnded,
  );
  const failed = ended ?? settled.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return settled.map((result) => (result as PromiseFulfilledResult<T>).value);
}

async function finish(
  run: Interpretation,
  visit: Visit,
  result: unknown,
  extra: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const { Output, Assign, Next } = visit.state;
  if (result !== visit.input) checkSize(result, visit.name);
  const output = Output === undefined ? result : await value(run, visit, Output, extra);
  await assign(run, visit, Assign, extra);
  return { output, ...(Next === undefined ? {} : { next: Next }) };
}

async function waitMs(run: Interpretation, visit: Visit): Promise<number> {
  const { Seconds, Timestamp } = visit.state;
  if (Timestamp !== undefined) return Date.parse(String(await value(run, visit, Timestamp))) - run.now();
  const seconds = Number(await value(run, visit, Seconds));
  if (!Number.isFinite(seconds) || seconds < 0 || seconds > 99_999_999)
    throw new StateFailure(
      'States.QueryEvaluationError',
      `Seconds of state '${visit.name}' must be from 0 to 99999999.`,
    );
  return seconds * 1000;
}
