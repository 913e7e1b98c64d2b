import { compile, expressionOf } from './expression';

export type StateType = 'Task' | 'Pass' | 'Choice' | 'Wait' | 'Succeed' | 'Fail' | 'Parallel' | 'Map';

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds?: number;
  readonly MaxAttempts?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL' | 'NONE';
}

export interface Catcher {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
  readonly Output?: unknown;
  readonly Assign?: Readonly<Record<string, unknown>>;
}

export interface ChoiceRule {
  readonly Condition: unknown;
  readonly Next: string;
  readonly Output?: unknown;
  readonly Assign?: Readonly<Record<string, unknown>>;
}

/** A state as the definition has it; which fields belong to which type is checked once, when it is created. */
export interface State {
  readonly Type: StateType;
  readonly Next?: string;
  readonly End?: boolean;
  readonly Output?: unknown;
  readonly Assign?: Readonly<Record<string, unknown>>;
  readonly Arguments?: unknown;
  readonly Resource?: string;
  readonly TimeoutSeconds?: unknown;
  readonly HeartbeatSeconds?: unknown;
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly Catcher[];
  readonly Choices?: readonly ChoiceRule[];
  readonly Default?: string;
  readonly Seconds?: unknown;
  readonly Timestamp?: unknown;
  readonly Error?: unknown;
  readonly Cause?: unknown;
  readonly Branches?: readonly StateGraph[];
  readonly Items?: unknown;
  readonly ItemSelector?: unknown;
  readonly ItemProcessor?: StateGraph;
  readonly MaxConcurrency?: unknown;
}

export interface StateGraph {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

export interface Definition extends StateGraph {
  readonly Comment?: string;
  readonly QueryLanguage?: string;
  readonly TimeoutSeconds?: number;
}

export class InvalidDefinition extends Error {
  override readonly name = 'InvalidDefinition';
}

const COMMON = ['Type', 'Comment', 'QueryLanguage'];
const FLOW = ['Next', 'End'];
const RESULT = ['Output', 'Assign'];
const ERRORS = ['Retry', 'Catch'];

const FIELDS: Readonly<Record<StateType, readonly string[]>> = {
  Task: [
    ...FLOW,
    ...RESULT,
    ...ERRORS,
    'Resource',
    'Arguments',
    'TimeoutSeconds',
    'HeartbeatSeconds',
    'Credentials',
  ],
  Pass: [...FLOW, ...RESULT],
  Choice: [...RESULT, 'Choices', 'Default'],
  Wait: [...FLOW, ...RESULT, 'Seconds', 'Timestamp'],
  Succeed: ['Output'],
  Fail: ['Error', 'Cause'],
  Parallel: [...FLOW, ...RESULT, ...ERRORS, 'Branches', 'Arguments'],
  Map: [...FLOW, ...RESULT, ...ERRORS, 'Items', 'ItemSelector', 'ItemProcessor', 'MaxConcurrency'],
};

/** They mean that the state is written for JSONPath. */
const JSONPATH = [
  ...['InputPath', 'OutputPath', 'ResultPath', 'ResultSelector', 'Parameters', 'ItemsPath', 'SecondsPath'],
  ...[
    'TimestampPath',
    'ErrorPath',
    'CausePath',
    'TimeoutSecondsPath',
    'HeartbeatSecondsPath',
    'Result',
    'Iterator',
  ],
];

/** Reads a definition, and refuses with the state's name what can't be run here. */
export function readDefinition(text: string, supports: (resource: string) => boolean): Definition {
  let definition: Definition;
  try {
    definition = JSON.parse(text);
  } catch (error) {
    throw new InvalidDefinition(`INVALID_JSON_DESCRIPTION: ${String(error)}`);
  }
  const names = new Set<string>();
  checkGraph(definition, definition.QueryLanguage === 'JSONata', names, supports, 'the state machine');
  return definition;
}

function checkGraph(
  graph: StateGraph,
  jsonata: boolean,
  names: Set<string>,
  supports: (resource: string) => boolean,
  where: string,
): void {
  const states = graph.States ?? {};
  if (states[graph.StartAt] === undefined)
    throw new InvalidDefinition(
      `MISSING_TRANSITION_TARGET: StartAt of ${where} names '${graph.StartAt}', which is no state`,
    );
  for (const [name, state] of Object.entries(states)) {
    if (name.length > 80) throw new InvalidDefinition(`state name '${name}' is longer than 80 characters`);
    if (names.has(name)) throw new InvalidDefinition(`DUPLICATE_STATE_NAME: '${name}'`);
    names.add(name);
    checkState(name, state, jsonata, supports);
    for (const target of targetsOf(state))
      if (states[target] === undefined)
        throw new InvalidDefinition(
          `MISSING_TRANSITION_TARGET: state '${name}' goes to '${target}', which is no state`,
        );
    for (const inner of [
      ...(state.Branches ?? []),
      ...(state.ItemProcessor === undefined ? [] : [state.ItemProcessor]),
    ])
      checkGraph(inner, jsonata, names, supports, `'${name}'`);
  }
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const target of targetsOf(states[name] as State)) visit(target);
  };
  visit(graph.StartAt);
  const lost = Object.keys(states).find((name) => !reached.has(name));
  if (lost !== undefined) throw new InvalidDefinition(`UNREACHABLE_STATE: '${lost}' can't be reached`);
}

function checkState(
  name: string,
  state: State,
  jsonata: boolean,
  supports: (resource: string) => boolean,
): void {
  const refuse = (why: string): InvalidDefinition =>
    new InvalidDefinition(`SCHEMA_VALIDATION_FAILED: state '${name}': ${why}`);
  const fields = FIELDS[state.Type];
  if (fields === undefined) throw refuse(`the type '${state.Type}' is unknown`);
  const given = state as unknown as Record<string, unknown>;
  const path =
    JSONPATH.find((field) => field in given) ??
    (jsonata || given['QueryLanguage'] === 'JSONata' ? undefined : 'QueryLanguage');
  if (path !== undefined) throw refuse(`JSONPath is not emulated (${path}); set QueryLanguage to JSONata`);
  const unknown = Object.keys(given).find((field) => !fields.includes(field) && !COMMON.includes(field));
  if (unknown !== undefined)
    throw refuse(`the field '${unknown}' does not belong to a ${state.Type} state, or is not emulated`);
  const flows = fields.includes('Next');
  if (flows && (state.Next === undefined) === (state.End !== true)) throw refuse('needs either Next or End');
  if (state.Type === 'Choice' && (state.Choices ?? []).length === 0)
    throw refuse('Choices must have at least one rule');
  if (state.Type === 'Wait' && (state.Seconds === undefined) === (state.Timestamp === undefined))
    throw refuse('needs either Seconds or Timestamp');
  if (state.Type === 'Map') {
    const mode =
      (state.ItemProcessor as { ProcessorConfig?: { Mode?: string } } | undefined)?.ProcessorConfig?.Mode ??
      'INLINE';
    if (state.ItemProcessor === undefined) throw refuse('needs an ItemProcessor');
    if (mode !== 'INLINE') throw refuse(`a Map of mode ${mode} is not emulated`);
  }
  if (state.Type === 'Task' && !supports(String(state.Resource)))
    throw refuse(`the resource ${state.Resource} is not emulated`);
  const { Branches: _branches, ItemProcessor: _processor, ...own } = state;
  checkExpressions(own, refuse);
}

function checkExpressions(value: unknown, refuse: (why: string) => Error): void {
  if (typeof value === 'string') {
    const expression = expressionOf(value);
    if (expression === undefined) return;
    try {
      compile(expression);
    } catch (error) {
      throw refuse(
        `INVALID_JSONATA_EXPRESSION: ${expression}: ${(error as { message?: string }).message ?? String(error)}`,
      );
    }
  } else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) checkExpressions(inner, refuse);
}

function targetsOf({ Next, Default, Choices, Catch }: State): string[] {
  return [
    Next,
    Default,
    ...(Choices ?? []).map((rule) => rule.Next),
    ...(Catch ?? []).map((rule) => rule.Next),
  ].filter((target): target is string => target !== undefined);
}
