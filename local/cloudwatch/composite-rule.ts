import type { AlarmState } from './alarm';

/**
 * `ALARM("a") AND NOT OK(b)` and so on.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create_Composite_Alarm.html
 */
export function evaluateRule(rule: string, stateOf: (alarm: string) => AlarmState | undefined): boolean {
  const tokens =
    rule.match(/\(|\)|AND|OR|NOT|TRUE|FALSE|(?:ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*"?[^")]+"?\s*\)/g) ?? [];
  let at = 0;
  const primary = (): boolean => {
    const token = tokens[at++];
    if (token === 'NOT') return !primary();
    if (token === 'TRUE') return true;
    if (token === 'FALSE') return false;
    if (token === '(') {
      const inner = or();
      at++;
      return inner;
    }
    const [, state, name = ''] = /^(\w+)\s*\(\s*"?([^")]+)"?\s*\)$/.exec(token ?? '') ?? [];
    return stateOf(name.slice(name.indexOf(':alarm:') < 0 ? 0 : name.indexOf(':alarm:') + 7)) === state;
  };
  const and = (): boolean => {
    let value = primary();
    while (tokens[at] === 'AND') {
      at++;
      value = primary() && value;
    }
    return value;
  };
  const or = (): boolean => {
    let value = and();
    while (tokens[at] === 'OR') {
      at++;
      value = and() || value;
    }
    return value;
  };
  return or();
}
