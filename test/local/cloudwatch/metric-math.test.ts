import { describe, expect, it } from 'vitest';
import { parseMetricMath } from '../../../local/cloudwatch/math-parser';
import type { Points, Value } from '../../../local/cloudwatch/math-value';
import { evaluateMath, namesIn } from '../../../local/cloudwatch/metric-math';

const _ = undefined;
const METRICS: Readonly<Record<string, Points>> = {
  a: [1, 2, _, 4],
  b: [10, _, _, 40],
  errors1: [1, 1, 1, 1],
  errors2: [_, 2, 2, _],
};

function evaluate(expression: string): Value {
  return evaluateMath(parseMetricMath(expression), {
    length: 4,
    period: 60,
    resolve: (name) => METRICS[name] ?? [],
    all: (part = '') =>
      Object.entries(METRICS)
        .filter(([name]) => name.includes(part))
        .map(([, points]) => points),
  });
}

describe('metric math', () => {
  it.each<[string, Value]>([
    ['a + b * 2', [21, _, _, 84]],
    ['(a + 1) * 2', [4, 6, _, 10]],
    ['-a ^ 1', [-1, -2, _, -4]],
    ['1 / (a - 1)', [_, 1, _, 1 / 3]],
    ['a >= 2', [0, 1, _, 1]],
    ['a > 1 AND b > 1', [0, _, _, 1]],
    ['IF(a > 1, b, 0)', [0, _, _, 40]],
    ['IF(a > 1 || FILL(b, 0) >= 10, 1, 0)', [1, 1, _, 1]],
    ['FILL(a, 0)', [1, 2, 0, 4]],
    ['FILL(b, REPEAT)', [10, 10, 10, 40]],
    ['FILL(b, LINEAR)', [10, 20, 30, 40]],
    ['FILL(b, a)', [10, 2, _, 40]],
    ['RATE(b)', [_, _, _, 30 / 180]],
    ['DIFF(a)', [_, 1, _, 2]],
    ['DIFF_TIME(a)', [_, 60, _, 120]],
    ['RUNNING_SUM(a)', [1, 3, 3, 7]],
    ['ABS(a - 3)', [2, 1, _, 1]],
    ['CEIL(a / 3) + FLOOR(a / 3)', [1, 1, _, 3]],
    ['SUM(a)', 7],
    ['MAX(b) - MIN(b)', 30],
    ['SUM([a, b])', [11, 2, _, 44]],
    ['AVG([a, b])', [5.5, 2, _, 22]],
    ['SUM(METRICS("errors"))', [1, 3, 3, 1]],
    ['SUM(FILL(METRICS("errors"), 5))', [6, 3, 3, 6]],
    ['METRIC_COUNT(METRICS())', 4],
    ['TIME_SERIES(7) * PERIOD(a)', [420, 420, 420, 420]],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });

  it('makes a band of what came before', () => {
    expect(evaluate('ANOMALY_DETECTION_BAND(FILL(a, 4), 2)')).toEqual({
      lower: [_, _, 0.5, expect.closeTo(7 / 3 - 2 * Math.sqrt(14 / 9), 9)],
      upper: [_, _, 2.5, expect.closeTo(7 / 3 + 2 * Math.sqrt(14 / 9), 9)],
    });
  });

  it.each([
    ['a +', /expected more, found the end/],
    ['(a', /expected \), found the end/],
    ['a b', /b is too much/],
    ['MAX(a b)', /expected , or \), found b/],
    ['a # 2', /can't be read/],
  ])('says what is wrong with %s', (expression, message) => {
    expect(() => parseMetricMath(expression)).toThrow(message);
  });

  it('says which functions there are when one is not emulated', () => {
    expect(() => namesIn(parseMetricMath("SEARCH('x', 'Sum', 60)"))).toThrow(
      /SEARCH is not emulated.*RATE.*FILL/,
    );
  });

  it('reads names, and takes the words of FILL for none', () => {
    expect(namesIn(parseMetricMath('IF(a > 1, FILL(b, REPEAT), SUM([c, d]))'))).toEqual(['a', 'b', 'c', 'd']);
  });
});
