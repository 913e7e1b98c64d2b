/** A filter pattern that is none, or asks for what is not emulated. */
export class LogPatternError extends Error {
  override readonly name = 'LogPatternError';
}

export type LogFilter = (message: string) => boolean;

type Test = (document: unknown) => boolean;

const TOKEN = /\s*(&&|\|\||[()]|\$(?:\.[\w-]+|\[\d+\])+|>=|<=|!=|=|>|<|"(?:[^"\\]|\\.)*"|[^\s()=<>!&|]+)/y;

/**
 * CloudWatch Logs' filter patterns: terms (`a "b c"`, `?either ?or`, `-without`) and JSON (`{ $.a = "x" && $.n > 3 }`,
 * `*` in a text, `IS NULL`, `IS TRUE`, `IS FALSE`, `NOT EXISTS`). Throws a LogPatternError for anything else, so that
 * no pattern is silently deaf.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function logFilter(pattern: string): LogFilter {
  const text = pattern.trim();
  if (text === '') return () => true;
  if (text.startsWith('{')) {
    if (!text.endsWith('}')) throw new LogPatternError(`'${pattern}' has no closing brace`);
    const test = new JsonPattern(text.slice(1, -1)).parse();
    return (message) => {
      const document = documentIn(message);
      return document !== undefined && test(document);
    };
  }
  if (text.startsWith('[') || text.startsWith('%'))
    throw new LogPatternError(`'${pattern}': patterns of columns and regular expressions are not emulated`);
  return terms(text);
}

function terms(text: string): LogFilter {
  const all: string[] = [];
  const any: string[] = [];
  const none: string[] = [];
  for (const [, sign, quoted, bare] of text.matchAll(/([?-]?)(?:"((?:[^"\\]|\\.)*)"|(\S+))/g)) {
    const term = bare ?? (quoted ?? '').replace(/\\(.)/g, '$1');
    (sign === '?' ? any : sign === '-' ? none : all).push(term);
  }
  return (message) =>
    all.every((term) => message.includes(term)) &&
    (any.length === 0 || any.some((term) => message.includes(term))) &&
    !none.some((term) => message.includes(term));
}

/** `or` of `and` of conditions, which may be in parentheses. */
class JsonPattern {
  private readonly tokens: string[] = [];
  private at = 0;

  constructor(private readonly text: string) {
    TOKEN.lastIndex = 0;
    const source = text.trimEnd();
    while (TOKEN.lastIndex < source.length) {
      const found = TOKEN.exec(source)?.[1];
      if (found === undefined) throw this.fault();
      this.tokens.push(found);
    }
  }

  parse(): Test {
    const test = this.either();
    if (this.at < this.tokens.length) throw this.fault();
    return test;
  }

  private either(): Test {
    const tests = [this.both()];
    while (this.take('||')) tests.push(this.both());
    return (document) => tests.some((test) => test(document));
  }

  private both(): Test {
    const tests = [this.condition()];
    while (this.take('&&')) tests.push(this.condition());
    return (document) => tests.every((test) => test(document));
  }

  private condition(): Test {
    if (this.take('(')) {
      const inner = this.either();
      if (!this.take(')')) throw this.fault();
      return inner;
    }
    const field = this.next();
    if (!field.startsWith('$')) throw this.fault();
    const operator = this.next();
    if (operator === 'IS' || operator === 'NOT') return this.word(field, `${operator} ${this.next()}`);
    const operand = this.next();
    const test = comparison(operator, operand);
    if (test === undefined) throw this.fault();
    return (document) => test(valueAt(document, field));
  }

  private word(field: string, words: string): Test {
    const expected = { 'IS NULL': null, 'IS TRUE': true, 'IS FALSE': false, 'NOT EXISTS': undefined };
    if (!(words in expected)) throw this.fault();
    const value = expected[words as keyof typeof expected];
    return (document) => valueAt(document, field) === value;
  }

  private next(): string {
    const token = this.tokens[this.at++];
    if (token === undefined) throw this.fault();
    return token;
  }

  private take(token: string): boolean {
    if (this.tokens[this.at] !== token) return false;
    this.at++;
    return true;
  }

  private fault(): LogPatternError {
    return new LogPatternError(`'{${this.text}}' is not a JSON filter pattern such as { $.level = "ERROR" }`);
  }
}

function comparison(operator: string, operand: string): ((value: unknown) => boolean) | undefined {
  const quoted = operand.startsWith('"');
  const number = quoted ? Number.NaN : Number(operand);
  if (!Number.isNaN(number)) {
    const numeric: Readonly<Record<string, (value: number) => boolean>> = {
      '=': (value) => value === number,
      '!=': (value) => value !== number,
      '>': (value) => value > number,
      '>=': (value) => value >= number,
      '<': (value) => value < number,
      '<=': (value) => value <= number,
    };
    const test = numeric[operator];
    return test && ((value) => typeof value === 'number' && test(value));
  }
  const text = quoted ? operand.slice(1, -1).replace(/\\(.)/g, '$1') : operand;
  const source = text.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const shape = new RegExp(`^${source.join('.*')}$`, 's');
  const same = (value: unknown): boolean => typeof value === 'string' && shape.test(value);
  if (operator === '=') return same;
  return operator === '!=' ? (value) => typeof value === 'string' && !same(value) : undefined;
}

/** `$.a.b[0]` */
export function valueAt(document: unknown, selector: string): unknown {
  let value = document;
  for (const [, name, index] of selector.matchAll(/\.([\w-]+)|\[(\d+)\]/g))
    value =
      typeof value === 'object' && value !== null
        ? (value as Record<string, unknown>)[name ?? index ?? '']
        : undefined;
  return value;
}

export function documentIn(message: string): object | undefined {
  if (!message.startsWith('{')) return undefined;
  try {
    return JSON.parse(message) as object;
  } catch {
    return undefined;
  }
}
