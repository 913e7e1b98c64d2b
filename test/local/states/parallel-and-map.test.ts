import { describe, expect, it } from 'vitest';
import { clock, historyOf, one, outcome, run, start, task, world } from './states-rig';

const map = (processor: object, more: object = {}, config: object = { Mode: 'INLINE' }) =>
  one({
    Type: 'Map',
    ItemProcessor: { ProcessorConfig: config, StartAt: 'T', States: { T: { End: true, ...processor } } },
    ...more,
  });
const DISTRIBUTED = { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' };
const failOnOdd = ({ n }: Record<string, unknown>) =>
  Number(n) % 2 === 1 ? Object.assign(new Error(`odd ${n}`), { name: 'Odd' }) : n;

describe('a branch that fails', () => {
  const branches = [
    { StartAt: 'Long', States: { Long: { Type: 'Wait', Seconds: 86_400, End: true } } },
    {
      StartAt: 'Soon',
      States: { Soon: { Type: 'Wait', Seconds: 5, Next: 'F' }, F: { Type: 'Fail', Error: 'Mine' } },
    },
  ];

  it('ends its siblings at once and not when they are done', async () => {
    const arn = await start(one({ Type: 'Parallel', Branches: branches }));
    await clock.advance(4_999);
    expect((await outcome(arn)).status).toBe('RUNNING');
    await clock.advance(1);
    expect(await outcome(arn)).toMatchObject({ status: 'FAILED', error: 'Mine' });
    const types = (await historyOf(arn)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['WaitStateAborted', 'ParallelStateFailed', 'ExecutionFailed']);
  });

  it('can be caught around the whole', async () => {
    const result = await run({
      StartAt: 'P',
      States: {
        P: {
          Type: 'Parallel',
          Branches: branches,
          Catch: [{ ErrorEquals: ['Mine'], Output: '{% $states.errorOutput.Error %}', Next: 'End' }],
          Next: 'End',
        },
        End: { Type: 'Succeed' },
      },
    });
    expect(result).toEqual({ status: 'SUCCEEDED', output: 'Mine' });
  });
});

describe('variables', () => {
  it('are read from outer scopes, are own in each iteration, and do not leave it', async () => {
    const result = await run({
      StartAt: 'A',
      States: {
        A: { Type: 'Pass', Assign: { base: 10 }, Next: 'M' },
        M: {
          Type: 'Map',
          Items: '{% [1..3] %}',
          ItemProcessor: {
            StartAt: 'In',
            States: {
              In: { Type: 'Pass', Assign: { own: '{% $base + $states.input %}' }, Next: 'Out' },
              Out: { Type: 'Pass', Output: '{% $own %}', End: true },
            },
          },
          Assign: { seen: '{% $exists($own) %}' },
          Next: 'End',
        },
        End: { Type: 'Succeed', Output: { items: '{% $states.input %}', seen: '{% $seen %}' } },
      },
    });
    expect(result.output).toEqual({ items: [11, 12, 13], seen: false });
  });
});

describe('an inline Map', () => {
  it('runs no more iterations at once than it may', async () => {
    const arn = await start(map({ Type: 'Wait', Seconds: 10 }, { MaxConcurrency: 2 }), [1, 2, 3, 4, 5]);
    await clock.advance(29_999);
    expect((await outcome(arn)).status).toBe('RUNNING');
    await clock.advance(1);
    expect((await outcome(arn)).output).toEqual([1, 2, 3, 4, 5]);
  });

  it('records its iterations as AWS does', async () => {
    const arn = await start(map({ Type: 'Pass' }), ['a']);
    await clock.settle();
    expect((await historyOf(arn)).map(({ type, previousEventId }) => [type, previousEventId])).toEqual([
      ['ExecutionStarted', 0],
      ['MapStateEntered', 1],
      ['MapStateStarted', 2],
      ['MapIterationStarted', 3],
      ['PassStateEntered', 4],
      ['PassStateExited', 5],
      ['MapIterationSucceeded', 6],
      ['MapStateSucceeded', 3],
      ['MapStateExited', 8],
      ['ExecutionSucceeded', 9],
    ]);
  });

  it('fails with the error of the iteration', async () => {
    world.answer = failOnOdd;
    const odd = await run(map(task()), [{ n: 2 }, { n: 3 }]);
    expect(odd).toMatchObject({ status: 'FAILED', error: 'Odd' });
  });

  it('refuses items that are no array', async () => {
    expect(await run(map({ Type: 'Pass' }), { a: 1 })).toMatchObject({
      error: 'States.QueryEvaluationError',
    });
  });
});

describe('a distributed Map of items in the state', () => {
  it('tolerates as many failures as it says, and leaves them out of the result', async () => {
    world.answer = failOnOdd;
    const items = [1, 2, 3, 4].map((n) => ({ n }));
    const result = await run(map(task(), { ToleratedFailurePercentage: 50 }, DISTRIBUTED), items);
    expect(result).toEqual({ status: 'SUCCEEDED', output: [2, 4] });
  });

  it('ends with its own error when there are more', async () => {
    world.answer = failOnOdd;
    const items = [1, 2, 3].map((n) => ({ n }));
    const arn = await start(map(task(), { ToleratedFailureCount: 1 }, DISTRIBUTED), items);
    await clock.settle();
    expect(await outcome(arn)).toMatchObject({ error: 'States.ExceedToleratedFailureThreshold' });
    const types = (await historyOf(arn)).map(({ type }) => type);
    expect(types).toContain('MapRunFailed');
    expect(types).not.toContain('TaskScheduled');
  });

  it.each([
    ['count', { MaxItemsPerBatch: 2 }, [2, 2, 1]],
    ['bytes', { MaxInputBytesPerBatch: 42, BatchInput: { a: 1 } }, [4, 1]],
  ])('hands over batches by %s', async (_what, batcher, counts) => {
    const counted = { Type: 'Pass', Output: '{% $count($states.input.Items) %}' };
    const result = await run(map(counted, { ItemBatcher: batcher }, DISTRIBUTED), [1, 2, 3, 4, 5]);
    expect(result.output).toEqual(counts);
  });
});
