import { type Filler, FUNCTIONS, type FunctionContext, filled } from './math-functions';
import { type MathNode, MetricMathError } from './math-parser';
import { finite, mapSeries, type Points, pointsOf, type Value } from './math-value';

export interface MathContext extends FunctionContext {
  resolve(name: string): Value;
  /** The metrics whose id holds `part`; without it all. */
  all(part?: string): readonly Points[];
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
const FILLERS: readonly string[] = ['REPEAT', 'LINEAR'];

/** Every name that an expression reads. Throws a MetricMathError for a function that is not emulated. */
export function namesIn(node: MathNode): readonly string[] {
  if (node.kind === 'name') return FILLERS.includes(node.name.toUpperCase()) ? [] : [node.name];
  if (node.kind === 'array') return node.items.flatMap(namesIn);
  if (node.kind === 'operator') return [...namesIn(node.left), ...namesIn(node.right)];
  if (node.kind !== 'call') return [];
  if (!(node.name in FUNCTIONS) && !['FILL', 'IF', 'METRICS'].includes(node.name))
    throw new MetricMathError(
      `the function ${node.name} is not emulated; ${Object.keys(FUNCTIONS).join(', ')}, FILL, IF and METRICS are`,
    );
  return node.given.flatMap(namesIn);
}

export function evaluateMath(node: MathNode, context: MathContext): Value {
  const { length } = context;
  switch (node.kind) {
    case 'number':
      return node.value;
    case 'text':
      throw new MetricMathError(`the text "${node.value}" has no value`);
    case 'name':
      return context.resolve(node.name);
    case 'array':
      return { series: node.items.map((item) => pointsOf(evaluateMath(item, context), length)) };
    case 'operator':
      return zip(
        evaluateMath(node.left, context),
        evaluateMath(node.right, context),
        OPERATORS[node.operator] as Operator,
        length,
      );
    case 'call':
      return call(node, context);
  }
}

function call({ name, given }: Extract<MathNode, { kind: 'call' }>, context: MathContext): Value {
  const { length } = context;
  if (name === 'METRICS')
    return { series: context.all(given[0]?.kind === 'text' ? given[0].value : undefined) };
  if (name === 'FILL') return fill(given, context);
  const values = given.map((one) => evaluateMath(one, context));
  if (name === 'IF') return choose(values, length);
  const apply = FUNCTIONS[name];
  if (apply === undefined) throw new MetricMathError(`the function ${name} is not emulated`);
  return apply(values, context);
}

function fill([given, filler]: readonly MathNode[], context: MathContext): Value {
  if (given === undefined || filler === undefined)
    throw new MetricMathError('FILL takes a metric and a number, a metric, REPEAT or LINEAR');
  const { length } = context;
  const name = filler.kind === 'name' ? filler.name.toUpperCase() : '';
  const value: Value | Filler = name === 'REPEAT' || name === 'LINEAR' ? name : evaluateMath(filler, context);
  return mapSeries(evaluateMath(given, context), length, (points) => {
    if (typeof value === 'number' || typeof value === 'string') return filled(points, value);
    const others = pointsOf(value, length);
    return points.map((point, index) => point ?? others[index]);
  });
}

function choose([condition = 0, yes = 0, no]: readonly Value[], length: number): Value {
  const whenTrue = pointsOf(yes, length);
  const whenFalse = no === undefined ? [] : pointsOf(no, length);
  return pointsOf(condition, length).map((test, index) =>
    test === undefined ? undefined : test !== 0 ? whenTrue[index] : whenFalse[index],
  );
}

function zip(left: Value, right: Value, operator: Operator, length: number): Value {
  if (typeof left === 'number' && typeof right === 'number') return operator(left, right);
  if (typeof left === 'object' && 'series' in left)
    return { series: left.series.map((one) => pointsOf(zip(one, right, operator, length), length)) };
  if (typeof right === 'object' && 'series' in right)
    return { series: right.series.map((one) => pointsOf(zip(left, one, operator, length), length)) };
  const a = pointsOf(left, length);
  const b = pointsOf(right, length);
  return a.map((value, index) => {
    const other = b[index];
    return value === undefined || other === undefined ? undefined : finite(operator(value, other));
  });
}
