import {
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { ThrottledError } from '../../../local/gateway/ports';
import {
  calls,
  client,
  clock,
  create,
  FUNCTION,
  gateway,
  one,
  outcome,
  run,
  sqs,
  start,
  states,
  task,
  world,
} from './states-rig';

describe('states', () => {
  it('pass values on with Output and Assign, which see the old variables', async () => {
    const { output } = await run(
      {
        StartAt: 'A',
        States: {
          A: {
            Type: 'Pass',
            Assign: { a: 1, b: '{% $states.input.x + 1 %}' },
            Output: '{% $states.input.x %}',
            Next: 'B',
          },
          B: { Type: 'Pass', Assign: { a: '{% $b %}', b: '{% $a %}' }, Next: 'C' },
          C: {
            Type: 'Pass',
            Output: { a: '{% $a %}', b: '{% $b %}', input: '{% $states.input %}' },
            End: true,
          },
        },
      },
      { x: 4 },
    );
    expect(output).toEqual({ a: 5, b: 1, input: 4 });
  });

  it('choose, and say when nothing matches', async () => {
    const choice = (more: object) => ({
      StartAt: 'C',
      States: {
        C: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.input.n > 3 %}', Next: 'Big', Output: 'big' }],
          ...more,
        },
        Big: { Type: 'Succeed' },
        Small: { Type: 'Succeed', Output: 'small' },
      },
    });
    expect(await run(choice({ Default: 'Small' }), { n: 4 })).toMatchObject({ output: 'big' });
    await states.stop();
  });

  it('wait on the clock of the engine', async () => {
    const arn = await start(one({ Type: 'Wait', Seconds: '{% $states.input.s %}' }), { s: 90 });
    await clock.advance(89_000);
    expect((await outcome(arn)).status).toBe('RUNNING');
    await clock.advance(1_000);
    expect((await outcome(arn)).status).toBe('SUCCEEDED');
  });

  it('map with a selector, in order, and run branches side by side', async () => {
    world.answer = ({ n }) => Number(n) * 10;
    const { output } = await run({
      StartAt: 'P',
      States: {
        P: {
          Type: 'Parallel',
          Assign: { base: 1 },
          Branches: [
            {
              StartAt: 'M',
              States: {
                M: {
                  Type: 'Map',
                  Items: '{% [1..3] %}',
                  MaxConcurrency: 2,
                  ItemSelector: {
                    n: '{% $states.context.Map.Item.Value %}',
                    i: '{% $states.context.Map.Item.Index %}',
                  },
                  ItemProcessor: { StartAt: 'T', States: { T: { ...task(), End: true } } },
                  End: true,
                },
              },
            },
            { StartAt: 'W', States: { W: { Type: 'Wait', Seconds: 5, Output: 'waited', End: true } } },
          ],
          End: true,
        },
      },
    });
    expect(output).toEqual([[10, 20, 30], 'waited']);
  });

  it('fail with error and cause', async () => {
    expect(
      await run(
        {
          StartAt: 'F',
          States: { F: { Type: 'Fail', Error: 'Mine', Cause: '{% "because " & $states.input.why %}' } },
        },
        { why: 'x' },
      ),
    ).toEqual({
      status: 'FAILED',
      error: 'Mine',
      cause: 'because x',
    });
  });
});

describe('errors', () => {
  it('retry with a growing delay, then catch with the error output', async () => {
    world.answer = () => Object.assign(new Error('down'), { name: 'Outage' });
    const result = await run({
      StartAt: 'T',
      States: {
        T: {
          ...task({
            Retry: [
              {
                ErrorEquals: ['Outage'],
                IntervalSeconds: 2,
                MaxAttempts: 3,
                BackoffRate: 2,
                MaxDelaySeconds: 5,
              },
            ],
            Catch: [
              {
                ErrorEquals: ['States.ALL'],
                Next: 'Caught',
                Assign: { e: '{% $states.errorOutput.Error %}' },
              },
            ],
          }),
          Next: 'Never',
        },
        Never: { Type: 'Succeed' },
        Caught: {
          Type: 'Succeed',
          Output: { e: '{% $e %}', c: '{% $parse($states.input.Cause).errorMessage %}' },
        },
      },
    });
    expect(result).toEqual({ status: 'SUCCEEDED', output: { e: 'Outage', c: 'down' } });
    const begun = calls[0]?.at ?? 0;
    expect(calls.map(({ at }) => at - begun)).toEqual([0, 2_000, 6_000, 11_000]);
  });

  it('name a throttled function, a refusal, and an expression that yields nothing', async () => {
    world.answer = () => new ThrottledError('slow down');
    expect(await run(one(task()))).toMatchObject({ error: 'Lambda.TooManyRequestsException' });
    await states.stop();
    world.denied = ['lambda:InvokeFunction'];
    const arn = await create(one(task()), 'two');
    const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn: arn }));
    await clock.settle();
    expect(await outcome(executionArn as string)).toMatchObject({
      error: 'Lambda.AWSLambdaException',
      cause: 'no lambda:InvokeFunction',
    });
    const third = await create(one({ Type: 'Pass', Output: '{% $states.input.none %}' }), 'three');
    const started = await client.send(new StartExecutionCommand({ stateMachineArn: third }));
    await clock.settle();
    expect(await outcome(started.executionArn as string)).toMatchObject({
      error: 'States.QueryEvaluationError',
    });
  });

  it('do not catch too much data with States.ALL', async () => {
    world.answer = () => 'x'.repeat(270_000);
    const result = await run({
      StartAt: 'T',
      States: {
        T: { ...task({ Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }] }), Next: 'Caught' },
        Caught: { Type: 'Succeed' },
      },
    });
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });

  it('end the whole machine at its timeout', async () => {
    expect(await run({ ...one({ Type: 'Wait', Seconds: 100 }), TimeoutSeconds: 50 })).toMatchObject({
      status: 'TIMED_OUT',
    });
  });
});

describe('task tokens', () => {
  const waiting = (more: object = {}) =>
    one({
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
      Arguments: { FunctionName: FUNCTION, Payload: { token: '{% $states.context.Task.Token %}' } },
      ...more,
    });
  const token = (): string => String(calls[0]?.payload['token']);

  it('wait for days and go on with the output', async () => {
    const arn = await start(waiting());
    await clock.advance(14 * 86_400_000);
    expect((await outcome(arn)).status).toBe('RUNNING');
    await client.send(new SendTaskSuccessCommand({ taskToken: token(), output: '{"ok":true}' }));
    await clock.settle();
    expect(await outcome(arn)).toEqual({ status: 'SUCCEEDED', output: { ok: true } });
    await expect(
      client.send(new SendTaskSuccessCommand({ taskToken: token(), output: '1' })),
    ).rejects.toMatchObject({ name: 'TaskTimedOut' });
  });

  it('fail with the given error, and time out without a heartbeat', async () => {
    const arn = await start(waiting({ HeartbeatSeconds: 60 }));
    await clock.advance(59_000);
    await client.send(new SendTaskHeartbeatCommand({ taskToken: token() }));
    await clock.advance(59_000);
    expect((await outcome(arn)).status).toBe('RUNNING');
    await clock.advance(1_000);
    expect(await outcome(arn)).toMatchObject({ status: 'FAILED', error: 'States.HeartbeatTimeout' });
    await expect(client.send(new SendTaskFailureCommand({ taskToken: 'nonsense' }))).rejects.toMatchObject({
      name: 'InvalidToken',
    });
  });
});

describe('calls of other services', () => {
  it('go over HTTP with the rights of the role, and report errors by service', async () => {
    const queue = sqs.queues.create('q', {});
    const send = (url: string) =>
      one({
        Type: 'Task',
        Resource: 'arn:aws:states:::aws-sdk:sqs:sendMessage',
        Arguments: { QueueUrl: url, MessageBody: { a: '{% $states.input.a %}' } },
        Output: '{% $states.result.MessageId %}',
      });
    const sent = await run(send(sqs.queues.urlOf(queue)), { a: 1 });
    const [message] = queue.live.values();
    expect(message?.body).toBe('{"a":1}');
    expect(sent.output).toBe(message?.messageId);
    const arn = await create(send(`${gateway.endpoint()}/123456789012/none`), 'two');
    const { executionArn } = await client.send(
      new StartExecutionCommand({ stateMachineArn: arn, input: '{"a":1}' }),
    );
    await clock.settle();
    expect(await outcome(executionArn as string)).toMatchObject({ error: 'Sqs.QueueDoesNotExistException' });
  });

  it('start another execution, and can wait for its end', async () => {
    const child = await create(one({ Type: 'Wait', Seconds: 10, Output: { done: true } }), 'child');
    const result = await run(
      one({
        Type: 'Task',
        Resource: 'arn:aws:states:::states:startExecution.sync:2',
        Arguments: { StateMachineArn: child, Input: { a: 1 } },
        Output: '{% $states.result.Output %}',
      }),
    );
    expect(result.output).toEqual({ done: true });
  });
});
