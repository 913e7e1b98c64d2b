import { createHash, randomUUID } from 'node:crypto';
import jsonata from 'jsonata';
import { StateFailure } from './states-error';

/** What an expression sees: `$states`, the variables, and the clock. */
export interface Bindings {
  readonly states: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
  now(): number;
}

type Compiled = (bindings: Bindings) => unknown;

const compiled = new Map<string, Compiled>();
const PLAIN_PATH = /^\$([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)$/;

/** The expression in `{% … %}`, or undefined for any other text. */
export function expressionOf(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed.startsWith('{%') && trimmed.endsWith('%}') ? trimmed.slice(2, -2).trim() : undefined;
}

/** Throws what jsonata says of a wrong expression. */
export function compile(source: string): Compiled {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const fresh = PLAIN_PATH.test(source) ? plainPath(source) : general(source);
  compiled.set(source, fresh);
  return fresh;
}

/** Evaluates every expression in a payload template. Answers a value at once where no expression needs to wait. */
export async function evaluate(template: unknown, bindings: Bindings, where: string): Promise<unknown> {
  if (typeof template === 'string') {
    const source = expressionOf(template);
    return source === undefined ? template : evaluateExpression(source, bindings, where);
  }
  if (Array.isArray(template)) {
    const items: unknown[] = [];
    for (const item of template) items.push(await evaluate(item, bindings, where));
    return items;
  }
  if (typeof template === 'object' && template !== null) {
    const result: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(template))
      result[name] = await evaluate(value, bindings, where);
    return result;
  }
  return template;
}

async function evaluateExpression(source: string, bindings: Bindings, where: string): Promise<unknown> {
  let value: unknown;
  try {
    value = await compile(source)(bindings);
  } catch (error) {
    if (error instanceof StateFailure) throw error;
    throw failed(where, source, (error as { message?: string }).message ?? String(error));
  }
  if (value === undefined)
    throw failed(where, source, 'The JSONata expression returned nothing (undefined).');
  if (typeof value === 'function') throw failed(where, source, 'The JSONata expression returned a function.');
  return value;
}

function failed(where: string, source: string, reason: string): StateFailure {
  return new StateFailure(
    'States.QueryEvaluationError',
    `The JSONata expression '${source}' of state '${where}' failed: ${reason}`,
  );
}

/** The commonest expressions need no interpreter. */
function plainPath(source: string): Compiled {
  const [, root = '', rest = ''] = PLAIN_PATH.exec(source) ?? [];
  const steps = rest.split('.').filter((step) => step !== '');
  const slow = general(source);
  return (bindings) => {
    let value: unknown = root === 'states' ? bindings.states : bindings.variables[root];
    for (const step of steps) {
      if (typeof value !== 'object' || value === null) return undefined;
      // Paths through arrays map over them; that is the interpreter's matter.
      if (Array.isArray(value)) return slow(bindings);
      value = (value as Record<string, unknown>)[step];
    }
    return value;
  };
}

function general(source: string): Compiled {
  const expression = jsonata(source);
  return async (bindings) =>
    plain(
      await expression.evaluate(undefined, {
        ...FUNCTIONS,
        ...bindings.variables,
        states: bindings.states,
        now: () => new Date(bindings.now()).toISOString(),
        millis: () => bindings.now(),
      }),
    );
}

/** jsonata marks its arrays as sequences; what leaves it is plain JSON. */
function plain(value: unknown): unknown {
  return Array.isArray(value) ? [...value] : value;
}

/** https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html#jsonata-functions-provided-by-sfn */
const FUNCTIONS = {
  partition: (items: unknown[], size: number) => {
    const parts: unknown[][] = [];
    for (let from = 0; from < items.length; from += size) parts.push(items.slice(from, from + size));
    return parts;
  },
  range: (first: number, last: number, step: number) => {
    const numbers: number[] = [];
    for (let value = first; step > 0 ? value <= last : value >= last; value += step) numbers.push(value);
    return numbers;
  },
  hash: (data: unknown, algorithm = 'SHA-256') =>
    createHash(String(algorithm).toLowerCase().replace('-', ''))
      .update(typeof data === 'string' ? data : JSON.stringify(data))
      .digest('hex'),
  // real time: chance on AWS as well, unless a seed is given
  random: (seed?: number) => (seed === undefined ? Math.random() : mulberry(seed)),
  uuid: () => randomUUID(),
  parse: (text: string) => JSON.parse(text),
  eval: () => {
    throw new Error('$eval is not supported in Step Functions; use $parse');
  },
};

/** One number from 0 to 1 for a seed, always the same. */
function mulberry(seed: number): number {
  let state = (seed + 0x6d2b79f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296;
}
