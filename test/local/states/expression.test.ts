import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../local/states/expression';

const NOW = Date.UTC(2026, 0, 31, 12);
const input = { a: { b: 1 }, list: [{ n: 1 }, { n: 2 }], text: 'x' };

async function of(template: unknown, variables: Record<string, unknown> = {}): Promise<unknown> {
  const own = Object.assign(Object.create(null), variables);
  return evaluate(template, { states: { input, context: {} }, variables: own, now: () => NOW }, 'S');
}

describe('an expression', () => {
  it.each([
    ['{% $states.input.a.b %}', 1],
    ['{% $states.input.list.n %}', [1, 2]],
    ['{% $partition([1..5], 2) %}', [[1, 2], [3, 4], [5]]],
    ['{% $range(0, 10, 5) %}', [0, 5, 10]],
    ['{% $range(3, 1, -1) %}', [3, 2, 1]],
    ["{% $hash('a', 'MD5') %}", '0cc175b9c0f1b6a831c399e269772661'],
    ['{% $parse(\'{"a":[1]}\').a %}', [1]],
    ['{% $random(7) = $random(7) %}', true],
    ['{% $now() %}', '2026-01-31T12:00:00.000Z'],
    ["{% $now('[Y]-[M01]') %}", '2026-01'],
    ['{% $millis() %}', NOW],
    [
      { deep: [{ n: '{% $states.input.a.b + 1 %}' }, 'no {% expression %} inside'] },
      { deep: [{ n: 2 }, 'no {% expression %} inside'] },
    ],
  ])('yields a value: %j', async (template, expected) => {
    expect(await of(template)).toEqual(expected);
  });

  it.each([
    '{% $states.input.none %}',
    '{% $missing %}',
    '{% $states.input.constructor %}',
    '{% $states.input.text + 1 %}',
    '{% function($x) { $x } %}',
    '{% {"f": $sum} %}',
    "{% $eval('1') %}",
    "{% $parse('{') %}",
    "{% $hash('a', 'CRC32') %}",
    '{% $range(1, 2, 0) %}',
    '{% $range(0, 1000000000, 1) %}',
    '{% $partition([1], 0) %}',
    '{% ($f := function($x) { 1 + $f($x) }; $f(1)) %}',
  ])('is refused as a query: %s', async (expression) => {
    await expect(of(expression)).rejects.toMatchObject({ error: 'States.QueryEvaluationError' });
  });

  it('refuses the whole template for one of its expressions, whichever comes first', async () => {
    await expect(of(['{% $states.input.text + 1 %}', '{% $none %}'])).rejects.toMatchObject({
      error: 'States.QueryEvaluationError',
    });
  });

  it('sees variables of outer scopes, and none that every object has', async () => {
    const outer = Object.assign(Object.create(null), { a: 1 });
    const bindings = { states: {}, variables: Object.create(outer), now: () => NOW };
    expect(await evaluate('{% $a + 1 %}', bindings, 'S')).toBe(2);
    await expect(of('{% $toString %}')).rejects.toMatchObject({ error: 'States.QueryEvaluationError' });
  });

  it('leaves plain arrays, without the marks of the interpreter', async () => {
    const result = (await of('{% {"n": $states.input.list.n} %}')) as { n: unknown[] };
    expect(Object.keys(result.n)).toEqual(['0', '1']);
  });
});
