/** An expression that is not emulated, or is none. */
export class MetricMathError extends Error {
  override readonly name = 'MetricMathError';
}

export type MathNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'array'; readonly items: readonly MathNode[] }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly MathNode[] }
  | {
      readonly kind: 'operator';
      readonly operator: string;
      readonly left: MathNode;
      readonly right: MathNode;
    };

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(<=|>=|==|!=|&&|\|\||[-+*/^()<>,[\]])|("[^"]*"|'[^']*'))/y;
const PRECEDENCE: readonly (readonly string[])[] = [
  ['||', 'OR'],
  ['&&', 'AND'],
  ['<', '>', '<=', '>=', '==', '!='],
  ['+', '-'],
  ['*', '/'],
  ['^'],
];

const parsed = new Map<string, MathNode>();

/**
 * Reads metric math. Throws a MetricMathError that says where.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
export function parseMetricMath(text: string): MathNode {
  let root = parsed.get(text);
  if (root === undefined) {
    root = new Parser(text).whole();
    parsed.set(text, root);
  }
  return root;
}

class Parser {
  private readonly tokens: string[] = [];
  private at = 0;

  constructor(private readonly text: string) {
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const from = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (match === null) throw new MetricMathError(`'${text}' can't be read at ${from}`);
      this.tokens.push(match[0].trim());
    }
  }

  whole(): MathNode {
    const root = this.binary(0);
    const rest = this.tokens[this.at];
    if (rest !== undefined) throw new MetricMathError(`'${this.text}': ${rest} is too much`);
    return root;
  }

  private binary(level: number): MathNode {
    if (level === PRECEDENCE.length) return this.primary();
    let left = this.binary(level + 1);
    for (;;) {
      const operator = this.tokens[this.at] ?? '';
      if (!PRECEDENCE[level]?.includes(operator)) return left;
      this.at++;
      left = { kind: 'operator', operator, left, right: this.binary(level + 1) };
    }
  }

  private primary(): MathNode {
    const token = this.take();
    if (token === '(') {
      const inner = this.binary(0);
      this.take(')');
      return inner;
    }
    if (token === '[') return { kind: 'array', items: this.list(']') };
    if (token === '-')
      return { kind: 'operator', operator: '*', left: { kind: 'number', value: -1 }, right: this.primary() };
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) };
    if (/^["']/.test(token)) return { kind: 'text', value: token.slice(1, -1) };
    if (!/^[A-Za-z_]/.test(token)) throw new MetricMathError(`'${this.text}': unexpected ${token}`);
    if (this.tokens[this.at] !== '(') return { kind: 'name', name: token };
    this.at++;
    return { kind: 'call', name: token.toUpperCase(), given: this.list(')') };
  }

  private list(end: string): MathNode[] {
    const given: MathNode[] = [];
    if (this.tokens[this.at] === end) {
      this.at++;
      return given;
    }
    for (;;) {
      given.push(this.binary(0));
      const next = this.take();
      if (next === end) return given;
      if (next !== ',') throw new MetricMathError(`'${this.text}': expected , or ${end}, found ${next}`);
    }
  }

  private take(expected?: string): string {
    const token = this.tokens[this.at++];
    if (token === undefined || (expected !== undefined && token !== expected))
      throw new MetricMathError(
        `'${this.text}': expected ${expected ?? 'more'}, found ${token ?? 'the end'}`,
      );
    return token;
  }
}
