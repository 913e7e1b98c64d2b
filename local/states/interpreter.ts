import type { State, StateType } from './definition';
import { runMap } from './map-state';
import { runParallel } from './parallel-state';
import { recordEvaluation, withErrors } from './recovery';
import { BranchCancelled, ExecutionEnded, StateFailure } from './states-error';
import { runTask } from './task-state';
import {
  type Frame,
  type Interpretation,
  leave,
  type Outcome,
  type Visit,
  value,
  wholeNumber,
} from './visit';

/** One text for each type of event, however often it happens. */
const ENTERED = eventTypes('StateEntered');
const EXITED = eventTypes('StateExited');
const ABORTED: Partial<Record<StateType, string>> = {
  Task: 'TaskStateAborted',
  Wait: 'WaitStateAborted',
  Parallel: 'ParallelStateAborted',
  Map: 'MapStateAborted',
};

/** Runs a graph from its first state to an end, and answers the output. */
export async function runGraph(run: Interpretation, frame: Frame, input: unknown): Promise<unknown> {
  const { branch, graph } = frame;
  let name = graph.StartAt;
  let current = input;
  for (;;) {
    const state = graph.States[name] as State;
    branch.lastEvent = run.history.add(ENTERED[state.Type], branch.lastEvent, { name, input: current });
    run.entered(name);
    const visit: Visit = {
      name,
      state,
      input: current,
      frame,
      context: {
        ...frame.context,
        State: { Name: name, EnteredTime: new Date(run.now()).toISOString(), RetryCount: 0 },
      },
    };
    const { output, next } = await visited(run, visit);
    branch.lastEvent = run.history.add(EXITED[state.Type], branch.lastEvent, { name, output });
    if (next === undefined) return output;
    name = next;
    current = output;
  }
}

async function visited(run: Interpretation, visit: Visit): Promise<Outcome> {
  try {
    return await runState(run, visit);
  } catch (error) {
    const { branch } = visit.frame;
    recordEvaluation(run, visit, error);
    const aborted = ABORTED[visit.state.Type];
    if (aborted !== undefined && isAbort(error))
      branch.lastEvent = run.history.add(aborted, branch.lastEvent);
    throw error;
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof BranchCancelled || (error instanceof ExecutionEnded && error.status === 'ABORTED');
}

async function runState(run: Interpretation, visit: Visit): Promise<Outcome> {
  const { state, input } = visit;
  switch (state.Type) {
    case 'Pass':
    case 'Succeed':
      return leave(run, visit, state, input);
    case 'Fail':
      throw new StateFailure(await text(run, visit, 'Error'), await text(run, visit, 'Cause'));
    case 'Choice':
      return choose(run, visit);
    case 'Wait':
      await visit.frame.branch.sleep(await waitMs(run, visit));
      return leave(run, visit, state, input);
    case 'Task':
      return withErrors(run, visit, () => runTask(run, visit));
    case 'Parallel':
      return withErrors(run, visit, () => runParallel(run, visit));
    case 'Map':
      return withErrors(run, visit, () => runMap(run, visit));
  }
}

async function choose(run: Interpretation, visit: Visit): Promise<Outcome> {
  const { Choices: rules = [], Default: otherwise, Output: output, Assign: assign } = visit.state;
  for (const rule of rules) {
    const condition = await value(run, visit, rule.Condition);
    if (typeof condition !== 'boolean')
      throw new StateFailure(
        'States.QueryEvaluationError',
        `A condition of state '${visit.name}' is not true or false.`,
      );
    if (!condition) continue;
    return leave(run, visit, rule, visit.input);
  }
  if (otherwise === undefined)
    throw new StateFailure('States.NoChoiceMatched', `No choice of state '${visit.name}' matched.`);
  return leave(
    run,
    visit,
    {
      Next: otherwise,
      ...(output === undefined ? {} : { Output: output }),
      ...(assign === undefined ? {} : { Assign: assign }),
    },
    visit.input,
  );
}

async function text(run: Interpretation, visit: Visit, field: 'Error' | 'Cause'): Promise<string> {
  const template = visit.state[field];
  if (template === undefined) return '';
  const result = await value(run, visit, template);
  if (typeof result !== 'string')
    throw new StateFailure('States.QueryEvaluationError', `${field} of state '${visit.name}' is not a text.`);
  return result;
}

async function waitMs(run: Interpretation, visit: Visit): Promise<number> {
  const { Timestamp: timestamp } = visit.state;
  if (timestamp === undefined) return ((await wholeNumber(run, visit, 'Seconds', 0)) ?? 0) * 1000;
  const given = await value(run, visit, timestamp);
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(String(given)) ? Date.parse(String(given)) : Number.NaN;
  if (Number.isNaN(at))
    throw new StateFailure(
      'States.QueryEvaluationError',
      `Timestamp of state '${visit.name}' is not like 2026-01-31T12:00:00Z, and is ${JSON.stringify(given)}.`,
    );
  return at - run.now();
}

function eventTypes(suffix: string): Record<StateType, string> {
  const types = ['Task', 'Pass', 'Choice', 'Wait', 'Succeed', 'Fail', 'Parallel', 'Map'] as const;
  return Object.fromEntries(types.map((type) => [type, `${type}${suffix}`])) as Record<StateType, string>;
}
