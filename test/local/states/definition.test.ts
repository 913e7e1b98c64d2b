import { describe, expect, it } from 'vitest';
import { checkedDefinition } from '../../../local/states/machines';

const LAMBDA = 'arn:aws:states:::lambda:invoke';
const one = (state: object, more: object = {}) => ({
  QueryLanguage: 'JSONata',
  StartAt: 'S',
  States: { S: { End: true, ...state } },
  ...more,
});
const inner = (state: object = {}) => ({
  StartAt: 'I',
  States: { I: { Type: 'Pass', End: true, ...state } },
});
const retry = (retrier: object) => one({ Type: 'Task', Resource: LAMBDA, Retry: [retrier] });
const rule = (more: object) =>
  one({ Type: 'Choice', End: undefined, Choices: [{ Condition: '{% true %}', Next: 'S', ...more }] });
const map = (more: object, config: object = { Mode: 'DISTRIBUTED' }) =>
  one({ Type: 'Map', ItemProcessor: { ProcessorConfig: config, ...inner() }, ...more });

const refused = (definition: unknown, type: 'STANDARD' | 'EXPRESS' = 'STANDARD') =>
  checkedDefinition(JSON.stringify(definition), type).then(
    () => 'accepted',
    ({ name, message }: Error) => `${name} ${message}`,
  );

describe('a definition is refused', () => {
  it.each([
    ['as a whole', null, 'must be an object'],
    ['as a whole', [], 'must be an object'],
    ['without states', { QueryLanguage: 'JSONata', StartAt: 'S', States: {} }, 'at least one state'],
    [
      'without a start',
      { QueryLanguage: 'JSONata', States: { S: { Type: 'Succeed' } } },
      'StartAt is missing',
    ],
    ['for its start', one({ Type: 'Pass' }, { StartAt: 'toString' }), "'toString', which is no state"],
    ['for an unknown field', one({ Type: 'Pass' }, { Colour: 'red' }), "'Colour'"],
    ['for its time', one({ Type: 'Pass' }, { TimeoutSeconds: 0 }), 'TimeoutSeconds'],
    ['for its language', one({ Type: 'Pass' }, { QueryLanguage: 'XPath' }), 'XPath'],
    ['for a JSONPath state', one({ Type: 'Pass', QueryLanguage: 'JSONPath' }), "'S': JSONPath"],
    ['for a JSONPath rule', rule({ Variable: '$.a' }), "'S': JSONPath is not emulated (Variable)"],
    ['for a state that is none', { ...one({}), States: { S: 7 } }, "'S': must be an object"],
    ['for a type', one({ Type: 'Teleport' }), "'S': the type 'Teleport' is unknown"],
    ['for a state that goes nowhere', one({ Type: 'Pass', End: false }), 'either Next or End'],
    ['for a rule without Next', rule({ Next: undefined }), 'a choice rule needs Next'],
    ['for a Condition', rule({ Condition: 'yes' }), 'must be a JSONata expression'],
    ['for spaces around', one({ Type: 'Pass', Output: '{% 1 %} ' }), 'must start with {% and end with %}'],
    ['for a nested expression', one({ Type: 'Pass', Output: { a: ['{% 1 + %}'] } }), 'INVALID_JSONATA'],
    ['for a variable', one({ Type: 'Pass', Assign: { states: 1 } }), '$states is reserved'],
    ['for a variable', one({ Type: 'Pass', Assign: { 'a-b': 1 } }), "'a-b' is no name"],
    ['for ErrorEquals', retry({}), 'ErrorEquals'],
    ['for States.ALL', retry({ ErrorEquals: ['A', 'States.ALL'] }), 'must stand alone'],
    ['for BackoffRate', retry({ ErrorEquals: ['A'], BackoffRate: 0.5 }), 'BackoffRate'],
    ['for MaxDelaySeconds', retry({ ErrorEquals: ['A'], IntervalSeconds: 9, MaxDelaySeconds: 9 }), 'greater'],
    ['for jitter', retry({ ErrorEquals: ['A'], JitterStrategy: 'SOME' }), 'FULL or NONE'],
    ['for Credentials', one({ Type: 'Task', Resource: LAMBDA, Credentials: {} }), "'Credentials'"],
    [
      'for an action',
      one({ Type: 'Task', Resource: 'arn:aws:states:::aws-sdk:sqs:teleport' }),
      'sqs:teleport',
    ],
    ['for a pattern', one({ Type: 'Task', Resource: `${LAMBDA}.sync` }), 'not emulated'],
    [
      'for an activity',
      one({ Type: 'Task', Resource: 'arn:aws:states:eu-west-1:1:activity:a' }),
      'not emulated',
    ],
    ['for Branches', one({ Type: 'Parallel', Branches: [] }), 'at least one branch'],
    [
      'for a field of DISTRIBUTED',
      map({ ToleratedFailureCount: 1 }, { Mode: 'INLINE' }),
      'ToleratedFailureCount',
    ],
    ['for an empty batcher', map({ ItemBatcher: {} }), 'MaxItemsPerBatch'],
    ['for a percentage', map({ ToleratedFailurePercentage: 101 }), 'from 0 to 100'],
    ['for Seconds', one({ Type: 'Wait', Seconds: 1.5 }), 'Seconds must be a whole number'],
  ])('%s (%#)', async (_what, definition, reason) => {
    const answer = await refused(definition);
    expect(answer).toMatch(/^InvalidDefinition /);
    expect(answer).toContain(reason);
  });

  it('for a long name, with the name', async () => {
    const name = 'n'.repeat(81);
    const definition = { QueryLanguage: 'JSONata', StartAt: name, States: { [name]: { Type: 'Succeed' } } };
    expect(await refused(definition)).toContain(name);
  });

  it('for the same name in two branches, and for an outer variable that a branch sets', async () => {
    const branches = (state: object) =>
      one({ Type: 'Parallel', Assign: { mine: 1 }, Branches: [inner(), { ...inner(state), ...state }] });
    expect(await refused(branches({}))).toContain("DUPLICATE_STATE_NAME: 'I'");
    const assigning = one({
      Type: 'Parallel',
      Assign: { mine: 1 },
      Branches: [inner({ Assign: { mine: 2 } })],
    });
    expect(await refused(assigning)).toContain("state 'I': the variable $mine belongs to an outer scope");
  });

  it('for EXPRESS where a task waits for others', async () => {
    const waits = one({ Type: 'Task', Resource: `${LAMBDA}.waitForTaskToken` });
    expect(await refused(waits)).toBe('accepted');
    expect(await refused(waits, 'EXPRESS')).toContain("state 'S'");
  });

  it('and is accepted where a single state says JSONata', async () => {
    const definition = one({ Type: 'Pass', QueryLanguage: 'JSONata' }, { QueryLanguage: undefined });
    expect(await refused(definition)).toBe('accepted');
  });
});
