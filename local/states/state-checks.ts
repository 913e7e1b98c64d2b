import { isDistributed, type State, type StateType } from './definition';
import {
  checkAssign,
  checkCatchers,
  checkExpressions,
  checkKnown,
  checkNumber,
  checkRetriers,
  isObject,
  type Refuse,
} from './field-checks';

const COMMON = ['Type', 'QueryLanguage'];
const FLOW = ['Next', 'End'];
const RESULT = ['Output', 'Assign'];
const ERRORS = ['Retry', 'Catch'];
/** Only a Map of mode DISTRIBUTED has them. */
const DISTRIBUTED = ['ItemBatcher', 'ToleratedFailureCount', 'ToleratedFailurePercentage', 'Label'];
const MAP = ['Items', 'ItemSelector', 'ItemProcessor', 'MaxConcurrency'];

const FIELDS: Readonly<Record<StateType, readonly string[]>> = {
  Task: [...FLOW, ...RESULT, ...ERRORS, 'Resource', 'Arguments', 'TimeoutSeconds', 'HeartbeatSeconds'],
  Pass: [...FLOW, ...RESULT],
  Choice: [...RESULT, 'Choices', 'Default'],
  Wait: [...FLOW, ...RESULT, 'Seconds', 'Timestamp'],
  Succeed: ['Output'],
  Fail: ['Error', 'Cause'],
  Parallel: [...FLOW, ...RESULT, ...ERRORS, 'Branches', 'Arguments'],
  Map: [...FLOW, ...RESULT, ...ERRORS, ...MAP],
};

/** They mean that the state is written for JSONPath. */
const JSONPATH = [
  ...['InputPath', 'OutputPath', 'ResultPath', 'ResultSelector', 'Parameters', 'Result', 'Iterator'],
  ...['ItemsPath', 'SecondsPath', 'TimestampPath', 'ErrorPath', 'CausePath', 'TimeoutSecondsPath'],
  ...['HeartbeatSecondsPath', 'MaxConcurrencyPath', 'ToleratedFailureCountPath'],
];
const JSONPATH_RULE = ['Variable', 'And', 'Or', 'Not'];

export interface StateRules {
  /** Whether the machine as a whole is written in JSONata. */
  readonly jsonata: boolean;
  /** Variables of outer scopes. */
  readonly outer: ReadonlySet<string>;
  supports(resource: string): boolean;
}

/** Checks the fields of one state; where it leads to is the graph's matter. */
export function checkState(state: State, { jsonata, outer, supports }: StateRules, refuse: Refuse): void {
  if (!isObject(state)) throw refuse('must be an object');
  const fields = FIELDS[state.Type];
  if (fields === undefined) throw refuse(`the type '${state.Type}' is unknown`);
  const given = state as unknown as Readonly<Record<string, unknown>>;
  const path = JSONPATH.find((field) => field in given) ?? pathLanguage(given, jsonata);
  if (path !== undefined) throw refuse(`JSONPath is not emulated (${path}); set QueryLanguage to JSONata`);
  const own = state.Type === 'Map' && isDistributed(state) ? [...fields, ...DISTRIBUTED] : fields;
  checkKnown(given, [...own, ...COMMON], `a ${state.Type} state`, refuse);
  if (fields.includes('Next')) checkFlow(given, refuse);
  checkAssign(given['Assign'], outer, refuse);
  checkRetriers(given['Retry'], refuse);
  checkCatchers(given['Catch'], outer, refuse);
  checkType(state, outer, supports, refuse);
  const { Branches: _branches, ItemProcessor: _processor, ...values } = state;
  checkExpressions(values, refuse);
}

function pathLanguage(given: Readonly<Record<string, unknown>>, jsonata: boolean): string | undefined {
  const language = given['QueryLanguage'] ?? (jsonata ? 'JSONata' : 'JSONPath');
  return language === 'JSONata' ? undefined : 'QueryLanguage';
}

function checkFlow({ Next: next, End: end }: Readonly<Record<string, unknown>>, refuse: Refuse): void {
  const ends = end === true;
  if ((next === undefined) !== ends || (next !== undefined && typeof next !== 'string'))
    throw refuse('needs either Next or End');
}

function checkType(
  state: State,
  outer: ReadonlySet<string>,
  supports: StateRules['supports'],
  refuse: Refuse,
): void {
  if (state.Type === 'Choice') checkChoices(state.Choices, outer, refuse);
  if (state.Type === 'Wait') {
    if ((state.Seconds === undefined) === (state.Timestamp === undefined))
      throw refuse('needs either Seconds or Timestamp');
    checkNumber(state.Seconds, ['Seconds', 0, 99_999_999], refuse);
  }
  if (state.Type === 'Task') {
    if (!supports(String(state.Resource))) throw refuse(`the resource ${state.Resource} is not emulated`);
    checkNumber(state.TimeoutSeconds, ['TimeoutSeconds', 1, 99_999_999], refuse);
    checkNumber(state.HeartbeatSeconds, ['HeartbeatSeconds', 1, 99_999_999], refuse);
  }
  if (state.Type === 'Parallel' && (!Array.isArray(state.Branches) || state.Branches.length === 0))
    throw refuse('Branches must have at least one branch');
  if (state.Type === 'Map') checkMap(state, refuse);
}

function checkChoices(choices: unknown, outer: ReadonlySet<string>, refuse: Refuse): void {
  if (!Array.isArray(choices) || choices.length === 0) throw refuse('Choices must have at least one rule');
  for (const rule of choices) {
    const path = isObject(rule) ? JSONPATH_RULE.find((field) => field in rule) : undefined;
    if (path !== undefined) throw refuse(`JSONPath is not emulated (${path}); write a Condition in JSONata`);
    checkKnown(rule, ['Condition', 'Next', 'Output', 'Assign'], 'a choice rule', refuse);
    const { Condition: condition, Next: next, Assign: assign } = rule;
    if (typeof next !== 'string') throw refuse('a choice rule needs Next');
    if (typeof condition !== 'boolean' && !(typeof condition === 'string' && condition.startsWith('{%')))
      throw refuse('the Condition of a choice rule must be a JSONata expression');
    checkAssign(assign, outer, refuse);
  }
}

function checkMap(state: State, refuse: Refuse): void {
  if (!isObject(state.ItemProcessor)) throw refuse('needs an ItemProcessor');
  const mode = state.ItemProcessor.ProcessorConfig?.Mode ?? 'INLINE';
  if (!['INLINE', 'DISTRIBUTED'].includes(mode))
    throw refuse(`the mode of a Map must not be ${String(mode)}`);
  checkNumber(state.MaxConcurrency, ['MaxConcurrency', 0, 99_999_999], refuse);
  checkNumber(state.ToleratedFailureCount, ['ToleratedFailureCount', 0, 99_999_999], refuse);
  checkNumber(state.ToleratedFailurePercentage, ['ToleratedFailurePercentage', 0, 100], refuse);
  if (state.ItemBatcher === undefined) return;
  const sizes = ['MaxItemsPerBatch', 'MaxInputBytesPerBatch'];
  checkKnown(state.ItemBatcher, [...sizes, 'BatchInput'], 'ItemBatcher', refuse);
  if (!sizes.some((size) => size in (state.ItemBatcher as object)))
    throw refuse(`ItemBatcher needs ${sizes.join(' or ')}`);
  checkNumber(state.ItemBatcher.MaxItemsPerBatch, ['MaxItemsPerBatch', 1, 100_000_000], refuse);
  checkNumber(state.ItemBatcher.MaxInputBytesPerBatch, ['MaxInputBytesPerBatch', 1, 262_144], refuse);
}
