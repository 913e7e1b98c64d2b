import type { Branch } from './branch';
import type { Assignments, State, StateGraph } from './definition';
import { type Bindings, evaluate } from './expression';
import type { History } from './history';
import { checkSize, StateFailure } from './states-error';
import type { TaskTokens } from './task-tokens';
import type { TaskRunner } from './tasks';

/** Variables of a graph, which inherit from those of the outer graph: inner graphs read outer variables. */
export type Variables = Record<string, unknown>;

export interface Frame {
  readonly graph: StateGraph;
  readonly variables: Variables;
  /** `$states.context` without the parts that change from state to state. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly branch: Branch;
}

/** How another execution ended. */
export interface EndedExecution {
  readonly status: string;
  /** What DescribeExecution tells of it. */
  readonly description: Readonly<Record<string, unknown>>;
}

/** What an execution gives to every state. */
export interface Interpretation {
  readonly history: History;
  readonly tasks: TaskRunner;
  readonly tokens: TaskTokens;
  readonly roleArn: string;
  readonly region: string;
  /** Waits for the end of another execution. */
  ended(executionArn: string): Promise<EndedExecution>;
  /** Ends another execution, when this one does not wait for it any more. */
  abandon(executionArn: string): void;
  now(): number;
  random(): number;
  entered(stateName: string): void;
  /** Runs a graph from its first state to an end, and answers the output. */
  graph(run: Interpretation, frame: Frame, input: unknown): Promise<unknown>;
}

/** What one visit of a state works with. */
export interface Visit {
  readonly name: string;
  readonly state: State;
  readonly input: unknown;
  readonly frame: Frame;
  context: Record<string, unknown>;
}

export interface Outcome {
  readonly output: unknown;
  /** Absent: the graph ends. */
  readonly next?: string;
}

type Extra = Readonly<Record<string, unknown>>;

/** Output and Assign of a state, a rule or a catcher. Both see the variables as they were. */
export async function leave(
  run: Interpretation,
  visit: Visit,
  rule: { readonly Output?: unknown; readonly Assign?: Assignments; readonly Next?: string },
  otherwise: unknown,
  extra: Extra = {},
): Promise<Outcome> {
  const output = rule.Output === undefined ? otherwise : await value(run, visit, rule.Output, extra);
  if (rule.Output !== undefined) checkSize(output, visit.name);
  if (rule.Assign !== undefined) {
    const values = (await value(run, visit, rule.Assign, extra)) as Variables;
    checkSize(values, visit.name);
    Object.assign(visit.frame.variables, values);
  }
  return rule.Next === undefined ? { output } : { output, next: rule.Next };
}

/** May answer a promise or a value. */
export function value(run: Interpretation, visit: Visit, template: unknown, extra: Extra = {}): unknown {
  return evaluate(template, bindingsOf(run, visit, extra, visit.context), visit.name);
}

export function bindingsOf(
  run: Interpretation,
  { input, frame }: Visit,
  extra: Extra,
  context: Record<string, unknown>,
): Bindings {
  return { states: { input, context, ...extra }, variables: frame.variables, now: () => run.now() };
}

/** A field that must be a whole number, such as TimeoutSeconds; undefined where it is absent. */
export async function wholeNumber(
  run: Interpretation,
  visit: Visit,
  field: 'Seconds' | 'TimeoutSeconds' | 'HeartbeatSeconds' | 'MaxConcurrency' | 'ToleratedFailureCount',
  least: number,
): Promise<number | undefined> {
  const template = visit.state[field];
  if (template === undefined) return undefined;
  const number = await value(run, visit, template);
  if (!Number.isInteger(number) || (number as number) < least || (number as number) > 99_999_999)
    throw new StateFailure(
      'States.QueryEvaluationError',
      `${field} of state '${visit.name}' must be a whole number from ${least} to 99999999, and is ${JSON.stringify(number)}.`,
    );
  return number as number;
}

/** The frame of a graph inside a state. */
export function innerFrame(
  { frame }: Visit,
  graph: StateGraph,
  context: Readonly<Record<string, unknown>>,
  branch: Branch,
): Frame {
  return { graph, branch, context, variables: Object.create(frame.variables) as Variables };
}
