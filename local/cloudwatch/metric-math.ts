/** One value for each period, or one for all. */
export type Value = number | Points | Band;
export type Points = (number | undefined)[];

export interface Band {
  readonly lower: Points;
  readonly upper: Points;
}

/** An expression that is not emulated, or is none. */
export class MetricMathError extends Error {
  override readonly name = 'MetricMathError';
}

type Node =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Node[] }
  | { readonly kind: 'operator'; readonly operator: string; readonly left: Node; readonly right: Node };

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(<=|>=|==|!=|&&|\|\||[-+*/^()<>,[\]])|("[^"]*"))/y;
const PRECEDENCE: readonly (readonly string[])[] = [
  ['||', 'OR'],
  ['&&', 'AND'],
  ['<', '>', '<=', '>=', '==', '!='],
  ['+', '-'],
  ['*', '/'],
  ['^'],
];

/**
 * Reads metric math as far as alarms use it.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
export function parseMetricMath(text: string): Node {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (match === null) throw new MetricMathError(`'${text}' can't be read at ${TOKEN.lastIndex}`);
    tokens.push(match[0].trim());
  }
  let at = 0;
  const peek = (): string | undefined => tokens[at];
  const take = (expected?: string): string => {
    const token = tokens[at++];
    if (token === undefined || (expected !== undefined && token !== expected))
      throw new MetricMathError(`'${text}': expected ${expected ?? 'more'}, found ${token ?? 'the end'}`);
    return token;
  };
  const list = (end: string): Node[] => {
    const given: Node[] = [];
    while (peek() !== end) {
      given.push(binary(0));
      if (peek() === ',') take();
    }
    take(end);
    return given;
  };
  const primary = (): Node => {
    const token = take();
    if (token === '(') {
      const inner = binary(0);
      take(')');
      return inner;
    }
    if (token === '[') return { kind: 'call', name: 'ARRAY', given: list(']') };
    if (token === '-')
      return { kind: 'operator', operator: '*', left: { kind: 'number', value: -1 }, right: primary() };
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) };
    if (!/^[A-Za-z_]/.test(token)) throw new MetricMathError(`'${text}': unexpected ${token}`);
    if (peek() !== '(') return { kind: 'name', name: token };
    take('(');
    return { kind: 'call', name: token.toUpperCase(), given: list(')') };
  };
  const binary = (level: number): Node => {
    if (level === PRECEDENCE.length) return primary();
    let left = binary(level + 1);
    while (PRECEDENCE[level]?.includes(peek() ?? '')) {
      const operator = take();
      left = { kind: 'operator', operator, left, right: binary(level + 1) };
    }
    return left;
  };
  const root = binary(0);
  if (at < tokens.length) throw new MetricMathError(`'${text}': ${tokens[at]} is too much`);
  return root;
}

export interface MathContext {
  readonly length: number;
  /** Seconds. */
  readonly period: number;
  resolve(name: string): Value;
  all(): readonly Points[];
}

export function evaluateMath(node: Node, context: MathContext): Value {
  if (node.kind === 'number') return node.value;
  if (node.kind === 'name')
    return node.name.toUpperCase() === 'REPEAT' ? Number.NaN : context.resolve(node.name);
  if (node.kind === 'operator')
    return zip(
      evaluateMath(node.left, context),
      evaluateMath(node.right, context),
      OPERATORS[node.operator] as Operator,
      context,
    );
  return call(node, context);
}

export function pointsOf(value: Value, length: number): Points {
  if (typeof value === 'number') return new Array(length).fill(value);
  return Array.isArray(value) ? value : value.upper;
}

type Operator = (left: number, right: number) => number;

const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '^': (a, b) => a ** b,
  '<': (a, b) => Number(a < b),
  '>': (a, b) => Number(a > b),
  '<=': (a, b) => Number(a <= b),
  '>=': (a, b) => Number(a >= b),
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '&&': (a, b) => Number(a !== 0 && b !== 0),
  '||': (a, b) => Number(a !== 0 || b !== 0),
  AND: (a, b) => Number(a !== 0 && b !== 0),
  OR: (a, b) => Number(a !== 0 || b !== 0),
};

function zip(left: Value, right: Value, operator: Operator, { length }: MathContext): Value {
  if (typeof left === 'number' && typeof right === 'number') return operator(left, right);
  const a = pointsOf(left, length);
  const b = pointsOf(right, length);
  return a.map((value, index) =>
    finite(value === undefined || b[index] === undefined ? undefined : operator(value, b[index] as number)),
  );
}

/** Division by nothing is no datapoint. */
function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function call({ name, given }: Extract<Node, { kind: 'call' }>, context: MathContext): Value {
  const value = (index: number): Value => evaluateMath(given[index] as Node, context);
  const points = (index: number): Points => pointsOf(value(index), context.length);
  switch (name) {
    case 'IF': {
      const [condition, yes, no] = [points(0), points(1), given[2] === undefined ? [] : points(2)];
      return condition.map((test, index) =>
        test === undefined ? undefined : test !== 0 ? yes[index] : no[index],
      );
    }
    case 'FILL':
      return filled(points(0), value(1));
    case 'RATE':
      return steps(points(0)).map((step) => (step === undefined ? undefined : step / context.period));
    case 'DIFF':
      return steps(points(0));
    case 'RUNNING_SUM': {
      let sum = 0;
      return points(0).map((step) => (sum += step ?? 0));
    }
    case 'ABS':
      return points(0).map((step) => (step === undefined ? undefined : Math.abs(step)));
    case 'CEIL':
      return points(0).map((step) => (step === undefined ? undefined : Math.ceil(step)));
    case 'FLOOR':
      return points(0).map((step) => (step === undefined ? undefined : Math.floor(step)));
    case 'PERIOD':
      return context.period;
    case 'TIME_SERIES':
      return points(0);
    case 'MIN':
    case 'MAX':
    case 'SUM':
    case 'AVG':
      return aggregate(
        name,
        given.length === 1 ? series(given[0] as Node, context) : given.map((_, index) => points(index)),
        context,
      );
    case 'ANOMALY_DETECTION_BAND':
      return band(points(0), given[1] === undefined ? 2 : Number(value(1)));
    default:
      throw new MetricMathError(`the function ${name} is not emulated`);
  }
}

/** What METRICS() or an array stands for; one series is taken over time. */
function series(node: Node, context: MathContext): readonly Points[] {
  if (node.kind === 'call' && node.name === 'METRICS') return context.all();
  if (node.kind === 'call' && node.name === 'ARRAY')
    return node.given.map((inner) => pointsOf(evaluateMath(inner, context), context.length));
  const whole = pointsOf(evaluateMath(node, context), context.length);
  return whole.map((value) => new Array(context.length).fill(value));
}

function aggregate(name: string, all: readonly Points[], { length }: MathContext): Points {
  return Array.from({ length }, (_, index) => {
    const present = all.map((one) => one[index]).filter((value): value is number => value !== undefined);
    if (present.length === 0) return undefined;
    if (name === 'MIN') return Math.min(...present);
    if (name === 'MAX') return Math.max(...present);
    const sum = present.reduce((total, value) => total + value, 0);
    return name === 'SUM' ? sum : sum / present.length;
  });
}

/** NaN stands for REPEAT. */
function filled(points: Points, filler: Value): Points {
  let last: number | undefined;
  const fill = typeof filler === 'number' ? filler : 0;
  return points.map((value) => {
    if (value !== undefined) last = value;
    return value ?? (Number.isNaN(fill) ? last : fill);
  });
}

function steps(points: Points): Points {
  return points.map((value, index) => {
    const before = index === 0 ? undefined : points[index - 1];
    return value === undefined || before === undefined ? undefined : value - before;
  });
}

/** Mean and standard deviation of what came before: not AWS's model, but a band that a jump leaves as well. */
function band(points: Points, deviations: number): Band {
  const lower: Points = [];
  const upper: Points = [];
  points.forEach((_, index) => {
    const past = points.slice(0, index).filter((value): value is number => value !== undefined);
    if (past.length < 2) {
      lower.push(undefined);
      upper.push(undefined);
      return;
    }
    const mean = past.reduce((sum, value) => sum + value, 0) / past.length;
    const spread = Math.sqrt(past.reduce((sum, value) => sum + (value - mean) ** 2, 0) / past.length);
    lower.push(mean - deviations * spread);
    upper.push(mean + deviations * spread);
  });
  return { lower, upper };
}
