import type { Branch } from './branch';
import type { State, StateGraph } from './definition';
import { type Bindings, evaluate } from './expression';
import type { History } from './history';
import { checkSize } from './states-error';
import type { TaskTokens } from './task-tokens';
import type { TaskRunner } from './tasks';

/** Variables of a graph; inner graphs read the outer ones and can't change them. */
export type Variables = Record<string, unknown>;

export interface Frame {
  readonly graph: StateGraph;
  readonly variables: Variables;
  /** `$states.context` without the parts that change from state to state. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly branch: Branch;
}

/** What an execution gives to every state. */
export interface Interpretation {
  readonly history: History;
  readonly tasks: TaskRunner;
  readonly tokens: TaskTokens;
  readonly roleArn: string;
  readonly region: string;
  /** How another execution ended, once it has. */
  ended(executionArn: string): Promise<{ readonly status: string; readonly output?: string }>;
  now(): number;
  random(): number;
  entered(stateName: string): void;
}

/** What one visit of a state works with. */
export interface Visit {
  readonly name: string;
  readonly state: State;
  readonly input: unknown;
  readonly frame: Frame;
  context: Record<string, unknown>;
}

export async function assign(
  run: Interpretation,
  visit: Visit,
  template: Readonly<Record<string, unknown>> | undefined,
  extra: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (template === undefined) return;
  // All are computed before any is set.
  const values = (await value(run, visit, template, extra)) as Variables;
  checkSize(values, visit.name);
  Object.assign(visit.frame.variables, values);
}

export function value(
  run: Interpretation,
  visit: Visit,
  template: unknown,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  return evaluate(template, bindingsOf(run, visit, extra, visit.context), visit.name);
}

export function bindingsOf(
  run: Interpretation,
  { input, frame }: Visit,
  extra: Readonly<Record<string, unknown>>,
  context: Record<string, unknown>,
): Bindings {
  const variables: Variables = {};
  for (const name in frame.variables) variables[name] = frame.variables[name];
  return { states: { input, context, ...extra }, variables, now: () => run.now() };
}
