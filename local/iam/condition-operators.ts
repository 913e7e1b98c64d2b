import { BlockList, isIP } from 'node:net';
import type { Condition } from './policy-document';
import { matchesArn, matchesWildcard } from './wildcard';

type Compare = (wanted: string, given: string) => boolean;

const numeric =
  (compare: (left: number, right: number) => boolean): Compare =>
  (wanted, given) =>
    compare(Number(given), Number(wanted));
const dated =
  (compare: (left: number, right: number) => boolean): Compare =>
  (wanted, given) =>
    compare(instant(given), instant(wanted));

const POSITIVE: Readonly<Record<string, Compare>> = {
  StringEquals: (wanted, given) => wanted === given,
  StringEqualsIgnoreCase: (wanted, given) => wanted.toLowerCase() === given.toLowerCase(),
  StringLike: (wanted, given) => matchesWildcard(wanted, given),
  NumericEquals: numeric((left, right) => left === right),
  NumericLessThan: numeric((left, right) => left < right),
  NumericLessThanEquals: numeric((left, right) => left <= right),
  NumericGreaterThan: numeric((left, right) => left > right),
  NumericGreaterThanEquals: numeric((left, right) => left >= right),
  DateEquals: dated((left, right) => left === right),
  DateLessThan: dated((left, right) => left < right),
  DateLessThanEquals: dated((left, right) => left <= right),
  DateGreaterThan: dated((left, right) => left > right),
  DateGreaterThanEquals: dated((left, right) => left >= right),
  Bool: (wanted, given) => wanted.toLowerCase() === given.toLowerCase(),
  BinaryEquals: (wanted, given) => wanted === given,
  IpAddress: inRange,
  ArnEquals: matchesArn,
  ArnLike: matchesArn,
};

/** The operators that hold when their positive counterpart does not. */
const NEGATED: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotEqualsIgnoreCase: 'StringEqualsIgnoreCase',
  StringNotLike: 'StringLike',
  NumericNotEquals: 'NumericEquals',
  DateNotEquals: 'DateEquals',
  NotIpAddress: 'IpAddress',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
};

interface Operator {
  readonly name: string;
  readonly set: 'ForAllValues' | 'ForAnyValue' | undefined;
  readonly ifExists: boolean;
}

function parse(operator: string): Operator {
  const [first = '', second] = operator.split(':', 2);
  const name = second ?? first;
  const set = second === undefined ? undefined : (first as Operator['set']);
  return { set, ifExists: name.endsWith('IfExists'), name: name.replace(/IfExists$/, '') };
}

export function isOperator(operator: string): boolean {
  const { name, set } = parse(operator);
  if (set !== undefined && set !== 'ForAllValues' && set !== 'ForAnyValue') return false;
  return name === 'Null' ? operator === 'Null' : name in POSITIVE || name in NEGATED;
}

/**
 * Whether one condition holds for the values of its key in a request; `given` is undefined when the request has none.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
export function conditionHolds(condition: Condition, given: readonly string[] | undefined): boolean {
  const { name, set, ifExists } = parse(condition.operator);
  const present = given !== undefined && given.length > 0;
  if (name === 'Null')
    return condition.values.some((wanted) => (wanted.toLowerCase() === 'true') === !present);
  const negated = NEGATED[name] !== undefined;
  if (!present) return set === 'ForAllValues' || ifExists || (negated && set === undefined);
  const compare = POSITIVE[NEGATED[name] ?? name];
  if (compare === undefined) return false;
  const holds = (value: string): boolean =>
    condition.values.some((wanted) => compare(wanted, value)) !== negated;
  if (set === 'ForAnyValue') return given.some(holds);
  return given.every(holds);
}

function instant(text: string): number {
  return /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
}

function inRange(range: string, address: string): boolean {
  const [network = '', prefix] = range.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(address) !== family) return false;
  const list = new BlockList();
  const type = family === 6 ? 'ipv6' : 'ipv4';
  list.addSubnet(network, prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix), type);
  return list.check(address, type);
}
