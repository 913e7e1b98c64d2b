import jsonata from 'jsonata';
import { CLOCK, FUNCTIONS } from './jsonata-functions';
import { StateFailure } from './states-error';

/** What an expression sees: `$states`, the variables (inner scopes inherit from outer ones), and the clock. */
export interface Bindings {
  readonly states: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
  now(): number;
}

type Compiled = (bindings: Bindings) => unknown;

const compiled = new Map<string, Compiled>();
const PLAIN_PATH = /^\$([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)$/;
/** A step of a path with one of these names is an operator or a value of JSONata. */
const WORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null']);
/** Ends an expression that would never end: calls inside each other, and milliseconds of real time. */
const LIMITS = { stack: 1_000, timeout: 5_000 };
/** Only functions of the expression itself can call each other for ever; for all others the limits only cost time. */
const CAN_LOOP = /function|λ/;
const NOTHING = 'The JSONata expression returned nothing (undefined).';
const FUNCTION = 'The JSONata expression returned a function.';

/** The expression in `{% … %}`, or undefined for any other text. No space may stand around it, as on AWS. */
export function expressionOf(text: string): string | undefined {
  return text.startsWith('{%') && text.endsWith('%}') && text.length >= 4
    ? text.slice(2, -2).trim()
    : undefined;
}

/** Throws what jsonata says of a wrong expression. */
export function compile(source: string): Compiled {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const fresh = plainPath(source) ?? general(source);
  compiled.set(source, fresh);
  return fresh;
}

/** Evaluates every expression in a payload template. Answers at once where no expression has to be waited for. */
export function evaluate(template: unknown, bindings: Bindings, where: string): unknown {
  if (typeof template === 'string') {
    const source = expressionOf(template);
    return source === undefined ? template : evaluateExpression(source, bindings, where);
  }
  if (typeof template !== 'object' || template === null) return template;
  const names = Object.keys(template);
  const values: unknown[] = [];
  let waits = false;
  try {
    for (const inner of Object.values(template)) {
      const value = evaluate(inner, bindings, where);
      waits ||= value instanceof Promise;
      values.push(value);
    }
  } catch (error) {
    // The ones under way have nobody left who hears of their end.
    for (const value of values) if (value instanceof Promise) value.catch(() => {});
    throw error;
  }
  const build = (all: unknown[]): unknown =>
    Array.isArray(template) ? all : Object.fromEntries(names.map((name, index) => [name, all[index]]));
  return waits ? Promise.all(values).then(build) : build(values);
}

function evaluateExpression(source: string, bindings: Bindings, where: string): unknown {
  const refuse = (why: string): StateFailure =>
    new StateFailure('States.QueryEvaluationError', `The expression '${source}' of state '${where}': ${why}`);
  const checked = (value: unknown): unknown => {
    if (value === undefined) throw refuse(NOTHING);
    return value;
  };
  const failed = (error: unknown): never => {
    throw error instanceof StateFailure
      ? error
      : refuse((error as { message?: string }).message ?? String(error));
  };
  let value: unknown;
  try {
    value = compile(source)(bindings);
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? value.then(checked, failed) : checked(value);
}

/** Paths without operators need no interpreter. */
function plainPath(source: string): Compiled | undefined {
  const [matched, root = '', rest = ''] = PLAIN_PATH.exec(source) ?? [];
  const steps = rest.split('.').filter((step) => step !== '');
  if (matched === undefined || steps.some((step) => WORDS.has(step))) return undefined;
  const slow = general(source);
  return (bindings) => {
    let value: unknown = root === 'states' ? bindings.states : bindings.variables[root];
    for (const step of steps) {
      if (typeof value !== 'object' || value === null) return undefined;
      // Paths through arrays map over them; that is the interpreter's matter.
      if (Array.isArray(value)) return slow(bindings);
      value = Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
    }
    return value;
  };
}

function general(source: string): Compiled {
  const expression = jsonata(source, CAN_LOOP.test(source) ? LIMITS : undefined);
  for (const [name, implementation, signature] of FUNCTIONS)
    expression.registerFunction(name, implementation as (...given: unknown[]) => unknown, signature);
  return (bindings) => {
    const visible: Record<string, unknown> = {};
    for (const name in bindings.variables) visible[name] = bindings.variables[name];
    visible['states'] = bindings.states;
    visible[CLOCK] = bindings.now();
    return expression.evaluate(undefined, visible).then(plain);
  };
}

/** jsonata marks its arrays as sequences and its functions as objects; what leaves it is plain JSON. */
function plain(value: unknown): unknown {
  if (typeof value === 'function') throw new Error(FUNCTION);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if ('_jsonata_function' in value || '_jsonata_lambda' in value) throw new Error(FUNCTION);
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) result[name] = plain(inner);
  return result;
}
