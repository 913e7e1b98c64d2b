import { createHash, randomUUID } from 'node:crypto';

/** What jsonata hands to a function as `this`. */
interface Focus {
  readonly environment: { lookup(name: string): unknown };
}

type Implementation = (this: Focus, ...given: never[]) => unknown;

/** jsonata refuses longer sequences as well. */
const MAXIMUM_ITEMS = 10_000_000;
const ALGORITHMS = ['MD5', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];

/** The name under which an evaluation finds the milliseconds of the engine's clock; no variable can have it. */
export const CLOCK = '.clock';

/**
 * Name, implementation and jsonata signature of what Step Functions adds or changes.
 * https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html#jsonata-functions-provided-by-sfn
 */
export const FUNCTIONS: readonly (readonly [string, Implementation, string])[] = [
  [
    'partition',
    (items: unknown[], size: number) => {
      if (!Number.isInteger(size) || size < 1) throw new Error('$partition: the size must be 1 or more');
      const parts: unknown[][] = [];
      for (let from = 0; from < items.length; from += size) parts.push(items.slice(from, from + size));
      return parts;
    },
    '<an:a>',
  ],
  [
    'range',
    (first: number, last: number, step: number) => {
      if (step === 0) throw new Error('$range: the step must not be 0');
      const count = Math.max(0, Math.floor((last - first) / step) + 1);
      if (count > MAXIMUM_ITEMS) throw new Error(`$range: more than ${MAXIMUM_ITEMS} numbers`);
      return Array.from({ length: count }, (_, index) => first + index * step);
    },
    '<nnn:a>',
  ],
  [
    'hash',
    (text: string, algorithm: string) => {
      if (!ALGORITHMS.includes(algorithm))
        throw new Error(`$hash: '${algorithm}' is none of ${ALGORITHMS.join(', ')}`);
      return createHash(algorithm.toLowerCase().replace('-', '')).update(text).digest('hex');
    },
    '<ss:s>',
  ],
  // real time: chance on AWS as well, unless a seed is given
  ['random', (seed?: number) => (seed === undefined ? Math.random() : ofSeed(seed)), '<n?:n>'],
  ['uuid', () => randomUUID(), '<:s>'],
  ['parse', (text: string) => JSON.parse(text), '<s:x>'],
  [
    'eval',
    () => {
      throw new Error('$eval is not supported in Step Functions; use $parse');
    },
    '<x?x?:x>',
  ],
  [
    'now',
    function (this: Focus, picture?: string, zone?: string) {
      const { implementation } = this.environment.lookup('fromMillis') as {
        implementation(ms: unknown, picture?: string, zone?: string): unknown;
      };
      return implementation.call(this, this.environment.lookup(CLOCK), picture, zone);
    },
    '<s?s?:s>',
  ],
  [
    'millis',
    function (this: Focus) {
      return this.environment.lookup(CLOCK);
    },
    '<:n>',
  ],
];

/** One number from 0 to 1 for a seed, always the same (mulberry32); not the numbers that AWS gives. */
function ofSeed(seed: number): number {
  let state = (seed + 0x6d2b79f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296;
}
