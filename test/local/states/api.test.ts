import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  DescribeStateMachineForExecutionCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  ListTagsForResourceCommand,
  StartExecutionCommand,
  StartSyncExecutionCommand,
  StopExecutionCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateStateMachineCommand,
  ValidateStateMachineDefinitionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import {
  client,
  clock,
  create,
  events,
  historyOf,
  metrics,
  one,
  outcome,
  ROLE,
  run,
  start,
  world,
} from './states-rig';

const PASS = one({ Type: 'Pass' });
const named = (error: string) => ({ name: error });

describe('state machines', () => {
  it('are the same for the same settings, and not overwritten by others', async () => {
    const arn = await create(PASS);
    expect(await create(PASS)).toBe(arn);
    await expect(create(one({ Type: 'Pass', Output: 1 }))).rejects.toMatchObject(
      named('StateMachineAlreadyExists'),
    );
  });

  it('keep their first definition in what already runs', async () => {
    const arn = await start(one({ Type: 'Wait', Seconds: 60, Output: 'first' }));
    const { stateMachineArn } = await client.send(
      new DescribeStateMachineForExecutionCommand({ executionArn: arn }),
    );
    const definition = JSON.stringify({
      QueryLanguage: 'JSONata',
      ...one({ Type: 'Pass', Output: 'second' }),
    });
    await client.send(new UpdateStateMachineCommand({ stateMachineArn, definition }));
    await clock.advance(60_000);
    expect((await outcome(arn)).output).toBe('first');
    const { definition: now } = await client.send(new DescribeStateMachineCommand({ stateMachineArn }));
    expect(now).toBe(definition);
  });

  it('are listed in pages, and gone when they are deleted', async () => {
    for (const name of ['a', 'b', 'c']) await create(PASS, name);
    const first = await client.send(new ListStateMachinesCommand({ maxResults: 2 }));
    const { nextToken } = first;
    const second = await client.send(new ListStateMachinesCommand({ maxResults: 2, nextToken }));
    const all = [...(first.stateMachines ?? []), ...(second.stateMachines ?? [])];
    expect(all.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(second.nextToken).toBeUndefined();
    const stateMachineArn = all[0]?.stateMachineArn;
    await client.send(new DeleteStateMachineCommand({ stateMachineArn }));
    await expect(client.send(new StartExecutionCommand({ stateMachineArn }))).rejects.toMatchObject(
      named('StateMachineDoesNotExist'),
    );
    await expect(client.send(new ListStateMachinesCommand({ nextToken: 'x' }))).rejects.toMatchObject(
      named('InvalidToken'),
    );
  });

  it('have tags', async () => {
    const resourceArn = await create(PASS);
    const tags = [
      { key: 'a', value: '1' },
      { key: 'b', value: '2' },
    ];
    await client.send(new TagResourceCommand({ resourceArn, tags }));
    await client.send(new UntagResourceCommand({ resourceArn, tagKeys: ['a'] }));
    const listed = await client.send(new ListTagsForResourceCommand({ resourceArn }));
    expect(listed.tags).toEqual([{ key: 'b', value: '2' }]);
    await expect(
      client.send(new ListTagsForResourceCommand({ resourceArn: `${resourceArn}x` })),
    ).rejects.toMatchObject(named('ResourceNotFound'));
  });

  it('are validated without being made', async () => {
    const validate = (state: object) =>
      client.send(
        new ValidateStateMachineDefinitionCommand({
          definition: JSON.stringify({ QueryLanguage: 'JSONata', ...one(state) }),
        }),
      );
    expect(await validate({ Type: 'Pass' })).toMatchObject({ result: 'OK', diagnostics: [] });
    expect(await validate({ Type: 'Pass', Next: 'None', End: undefined })).toMatchObject({
      result: 'FAIL',
      diagnostics: [{ severity: 'ERROR', code: 'MISSING_TRANSITION_TARGET' }],
    });
  });

  it.each([
    ['InvalidArn', new DescribeStateMachineCommand({ stateMachineArn: 'nonsense' })],
    ['InvalidArn', new DescribeExecutionCommand({ executionArn: 'nonsense' })],
    ['InvalidArn', new CreateStateMachineCommand({ name: 'm', roleArn: 'nobody', definition: '{}' })],
    ['InvalidName', new CreateStateMachineCommand({ name: 'a b', roleArn: ROLE, definition: '{}' })],
    ['InvalidDefinition', new CreateStateMachineCommand({ name: 'm', roleArn: ROLE, definition: '{' })],
    [
      'ExecutionDoesNotExist',
      new DescribeExecutionCommand({ executionArn: 'arn:aws:states:eu-west-1:123456789012:execution:m:e' }),
    ],
  ])('%s', async (error, command) => {
    await expect(client.send(command as DescribeStateMachineCommand)).rejects.toMatchObject(named(error));
  });
});

describe('executions', () => {
  it.each(['not json', JSON.stringify('x'.repeat(262_143))])('refuse a wrong input', async (input) => {
    const stateMachineArn = await create(PASS);
    await expect(client.send(new StartExecutionCommand({ stateMachineArn, input }))).rejects.toMatchObject(
      named('InvalidExecutionInput'),
    );
  });

  it('are started by those who may, and seen by those who may', async () => {
    const arn = await start(one({ Type: 'Wait', Seconds: 1 }));
    world.denied = ['states:DescribeExecution', 'states:StartExecution'];
    await expect(outcome(arn)).rejects.toMatchObject(named('AccessDeniedException'));
    await expect(
      client.send(
        new StartExecutionCommand({
          stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:machine',
        }),
      ),
    ).rejects.toMatchObject(named('AccessDeniedException'));
  });

  it('show their history in pages, from either end, with or without data', async () => {
    const arn = await start(PASS, { secret: 1 });
    await clock.settle();
    const ids = async (more: object) => (await historyOf(arn, more)).map(({ id }) => id);
    expect(await ids({})).toEqual([1, 2, 3, 4]);
    expect(await ids({ reverseOrder: true, maxResults: 3 })).toEqual([4, 3, 2]);
    const open = JSON.stringify(await historyOf(arn));
    const closed = JSON.stringify(await historyOf(arn, { includeExecutionData: false }));
    expect([open.includes('secret'), closed.includes('secret')]).toEqual([true, false]);
  });

  it('reach 24,999 events and the one that ends them', async () => {
    const arn = await start({
      StartAt: 'A',
      States: { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } },
    });
    await clock.settle();
    const [last] = await historyOf(arn, { reverseOrder: true, maxResults: 1 });
    expect(last).toMatchObject({ id: 25_000, previousEventId: 24_999, type: 'ExecutionFailed' });
    expect(last?.executionFailedEventDetails?.error).toBe('States.Runtime');
  });

  it('end with StopExecution in the middle of all they do', async () => {
    const arn = await start(
      one({
        Type: 'Map',
        ItemProcessor: { StartAt: 'W', States: { W: { Type: 'Wait', Seconds: 1_000, End: true } } },
      }),
      [1, 2],
    );
    await clock.settle();
    await client.send(new StopExecutionCommand({ executionArn: arn, error: 'Enough', cause: 'really' }));
    expect(await outcome(arn)).toEqual({ status: 'ABORTED', error: 'Enough', cause: 'really' });
    const types = (await historyOf(arn)).map(({ type }) => type);
    expect(types.filter((type) => type === 'WaitStateAborted')).toHaveLength(2);
    expect(types.at(-1)).toBe('ExecutionAborted');
  });

  it('count in the metrics, and tell what happens', async () => {
    await run(one({ Type: 'Wait', Seconds: 2 }));
    expect(metrics.map(({ name, value }) => [name, value])).toEqual([
      ['ExecutionsStarted', 1],
      ['ExecutionsSucceeded', 1],
      ['ExecutionTime', 2_000],
    ]);
    const told = events.filter(({ type }) => type.startsWith('states.'));
    expect(told.map(({ type }) => type)).toEqual([
      'states.execution-started',
      'states.state-entered',
      'states.execution-ended',
    ]);
    expect(told[2]?.detail).toMatchObject({ status: 'SUCCEEDED' });
  });

  it.each([
    ['Seconds', { Type: 'Wait', Seconds: "{% 'soon' %}" }],
    ['Timestamp', { Type: 'Wait', Timestamp: "{% 'tomorrow' %}" }],
    ['Cause', { Type: 'Fail', Cause: '{% 7 %}', End: undefined }],
    [
      'TimeoutSeconds',
      { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', TimeoutSeconds: '{% 0.5 %}' },
    ],
  ])('fail where %s has no sense', async (field, state) => {
    const arn = await start(one(state));
    await clock.settle();
    const { error, cause } = await outcome(arn);
    expect(error).toBe('States.QueryEvaluationError');
    expect(cause).toContain(field);
    expect((await historyOf(arn)).map(({ type }) => type)).toContain('EvaluationFailed');
  });

  it('wait until a time', async () => {
    const until = new Date(clock.now() + 90_000).toISOString();
    const arn = await start(one({ Type: 'Wait', Timestamp: '{% $states.input.until %}' }), { until });
    await clock.advance(89_999);
    expect((await outcome(arn)).status).toBe('RUNNING');
    await clock.advance(1);
    expect((await outcome(arn)).status).toBe('SUCCEEDED');
  });
});

describe('an EXPRESS machine', () => {
  it('answers at its end, and ends after five minutes', async () => {
    const stateMachineArn = await create(one({ Type: 'Wait', Seconds: 301 }), 'quick', 'EXPRESS');
    const answered = client.send(new StartSyncExecutionCommand({ stateMachineArn }));
    let done = false;
    const finished = (): void => {
      done = true;
    };
    answered.then(finished, finished);
    await clock.runUntil(() => done, 400_000);
    expect(await answered).toMatchObject({ status: 'TIMED_OUT' });
    await expect(client.send(new ListExecutionsCommand({ stateMachineArn }))).rejects.toMatchObject(
      named('StateMachineTypeNotSupported'),
    );
  });

  it('is the only one that can be started so', async () => {
    const stateMachineArn = await create(PASS);
    await expect(client.send(new StartSyncExecutionCommand({ stateMachineArn }))).rejects.toMatchObject(
      named('StateMachineTypeNotSupported'),
    );
  });
});
