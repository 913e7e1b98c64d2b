import type { AlarmState } from './missing-data';

type StateOf = (alarm: string) => AlarmState | undefined;
type Test = (stateOf: StateOf) => boolean;

/** A rule that can't be read; the message says where. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

const TOKEN =
  /\s*(\(|\)|\b(?:AND|OR|NOT|TRUE|FALSE)\b|\b(?:ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*(?:"[^"]*"|'[^']*'|[^"')\s]+)\s*\))/gy;
const STATE = /^(ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*["']?([^"']*?)["']?\s*\)$/;

const parsed = new Map<string, Test>();

/**
 * `ALARM("a") AND NOT OK(b)` and so on, with names or ARNs of alarms. An alarm that does not exist is in no state.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create_Composite_Alarm.html
 */
export function evaluateRule(rule: string, stateOf: StateOf): boolean {
  return parseRule(rule)(stateOf);
}

/** Throws a RuleError when this is no rule. */
export function parseRule(rule: string): Test {
  let test = parsed.get(rule);
  if (test === undefined) {
    test = read(rule);
    parsed.set(rule, test);
  }
  return test;
}

function read(rule: string): Test {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < rule.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(rule)?.[1];
    if (token === undefined) throw new RuleError(`the rule '${rule}' can't be read at ${from}`);
    tokens.push(token);
  }
  let at = 0;
  const primary = (): Test => {
    const token = tokens[at++];
    if (token === 'NOT') {
      const inner = primary();
      return (stateOf) => !inner(stateOf);
    }
    if (token === 'TRUE' || token === 'FALSE') return () => token === 'TRUE';
    if (token === '(') {
      const inner = chain('OR');
      if (tokens[at++] !== ')') throw new RuleError(`the rule '${rule}' lacks a closing bracket`);
      return inner;
    }
    const [, state, name] = STATE.exec(token ?? '') ?? [];
    if (name === undefined)
      throw new RuleError(`the rule '${rule}' needs an alarm, found ${token ?? 'its end'}`);
    const alarm = name.startsWith('arn:') ? name.slice(name.indexOf(':alarm:') + 7) : name;
    return (stateOf) => stateOf(alarm) === state;
  };
  const chain = (operator: 'AND' | 'OR'): Test => {
    const next = operator === 'OR' ? () => chain('AND') : primary;
    const tests = [next()];
    while (tokens[at] === operator) {
      at++;
      tests.push(next());
    }
    if (tests.length === 1) return tests[0] as Test;
    return operator === 'AND'
      ? (stateOf) => tests.every((test) => test(stateOf))
      : (stateOf) => tests.some((test) => test(stateOf));
  };
  const whole = chain('OR');
  if (at < tokens.length) throw new RuleError(`the rule '${rule}': ${tokens[at]} is too much`);
  return whole;
}
