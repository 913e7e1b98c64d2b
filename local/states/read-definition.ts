import {
  assignedBy,
  type Definition,
  InvalidDefinition,
  innerGraphs,
  isDistributed,
  type State,
  type StateGraph,
  targetsOf,
} from './definition';
import { checkKnown, isObject, type Refuse } from './field-checks';
import { checkState, type StateRules } from './state-checks';

/** https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html#service-limits-state-machine-definition */
const MAXIMUM_DEFINITION_BYTES = 1024 * 1024;

/** Reads a definition, and refuses with the state's name what can't be run here. */
export function readDefinition(text: string, supports: (resource: string) => boolean): Definition {
  if (Buffer.byteLength(text) > MAXIMUM_DEFINITION_BYTES)
    throw new InvalidDefinition(`DEFINITION_TOO_LARGE: more than ${MAXIMUM_DEFINITION_BYTES} bytes`);
  let definition: Definition;
  try {
    definition = JSON.parse(text);
  } catch (error) {
    throw new InvalidDefinition(`INVALID_JSON_DESCRIPTION: ${String(error)}`);
  }
  const refuse = refusalOf('the state machine');
  checkKnown(definition, ['StartAt', 'States', 'QueryLanguage', 'TimeoutSeconds', 'Version'], 'it', refuse);
  const { TimeoutSeconds: timeout, QueryLanguage: language = 'JSONPath' } = definition;
  if (timeout !== undefined && (!Number.isInteger(timeout) || timeout < 1 || timeout > 99_999_999))
    throw refuse('TimeoutSeconds must be a whole number from 1 to 99999999');
  if (!['JSONata', 'JSONPath'].includes(language)) throw refuse(`the QueryLanguage '${language}' is unknown`);
  const rules: StateRules = { jsonata: language === 'JSONata', outer: new Set(), supports };
  checkGraph(definition, rules, new Set(), 'the state machine');
  return definition;
}

function checkGraph(graph: StateGraph, rules: StateRules, names: Set<string>, where: string): void {
  const { StartAt: start, States: states } = graph;
  if (!isObject(states) || Object.keys(states).length === 0)
    throw refusalOf(where)('States must have at least one state');
  if (typeof start !== 'string') throw refusalOf(where)('StartAt is missing');
  if (!Object.hasOwn(states, start))
    throw new InvalidDefinition(
      `MISSING_TRANSITION_TARGET: StartAt of ${where} names '${start}', which is no state`,
    );
  for (const [name, state] of Object.entries(states)) {
    if (name.length < 1 || name.length > 80)
      throw refusalOf(`state '${name}'`)(`its name is longer than 80 characters, or empty`);
    if (names.has(name)) throw new InvalidDefinition(`DUPLICATE_STATE_NAME: '${name}'`);
    names.add(name);
    checkState(state, rules, refusalOf(`state '${name}'`));
    for (const target of targetsOf(state))
      if (!Object.hasOwn(states, target))
        throw new InvalidDefinition(
          `MISSING_TRANSITION_TARGET: state '${name}' goes to '${target}', which is no state`,
        );
  }
  const lost = unreachable(start, states);
  if (lost !== undefined) throw new InvalidDefinition(`UNREACHABLE_STATE: '${lost}' can't be reached`);
  const visible = new Set([...rules.outer, ...Object.values(states).flatMap(assignedBy)]);
  for (const [name, state] of Object.entries(states))
    for (const inner of innerGraphs(state)) {
      const refuse = refusalOf(`state '${name}'`);
      const own = state.Type === 'Map' ? ['ProcessorConfig'] : [];
      checkKnown(inner, ['StartAt', 'States', ...own], 'its inner graph', refuse);
      // The iterations of a distributed Map are executions of their own, which see no variables of this one.
      const outer = isDistributed(state) ? new Set<string>() : visible;
      checkGraph(inner, { ...rules, outer }, names, `state '${name}'`);
    }
}

function unreachable(start: string, states: Readonly<Record<string, State>>): string | undefined {
  const reached = new Set([start]);
  // A set goes on to what is added while it is walked.
  for (const name of reached) for (const target of targetsOf(states[name] as State)) reached.add(target);
  return Object.keys(states).find((name) => !reached.has(name));
}

function refusalOf(where: string): Refuse {
  return (why) => new InvalidDefinition(`SCHEMA_VALIDATION_FAILED: ${where}: ${why}`);
}
