import { SendTaskFailureCommand, SendTaskSuccessCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import {
  calls,
  client,
  clock,
  create,
  FUNCTION,
  gateway,
  historyOf,
  one,
  outcome,
  run,
  runMachine,
  sqs,
  start,
  task,
  world,
} from './states-rig';

const NESTED = 'arn:aws:states:::states:startExecution';
const nest = (machine: string, pattern = '', more: object = {}) =>
  one({
    Type: 'Task',
    Resource: `${NESTED}${pattern}`,
    Arguments: { StateMachineArn: machine, Input: { a: 1 } },
    ...more,
  });
const TOKEN = { token: '{% $states.context.Task.Token %}' };

describe('a function', () => {
  it('named by its ARN has events of its own', async () => {
    world.answer = () => Object.assign(new Error('down'), { name: 'Outage' });
    const arn = await start(one({ Type: 'Task', Resource: FUNCTION, Arguments: { a: 1 } }));
    await clock.settle();
    const events = await historyOf(arn);
    expect(events.map(({ type }) => type)).toEqual([
      'ExecutionStarted',
      'TaskStateEntered',
      'LambdaFunctionScheduled',
      'LambdaFunctionStarted',
      'LambdaFunctionFailed',
      'ExecutionFailed',
    ]);
    expect(events[2]?.lambdaFunctionScheduledEventDetails).toMatchObject({
      resource: FUNCTION,
      input: '{"a":1}',
    });
    expect(events[4]?.lambdaFunctionFailedEventDetails?.error).toBe('Outage');
  });

  it('counts its attempts in the context', async () => {
    world.answer = ({ retries }) => (retries === 2 ? 'done' : new Error('again'));
    const arguments_ = { FunctionName: 'f', Payload: { retries: '{% $states.context.State.RetryCount %}' } };
    const result = await run(one(task({ Arguments: arguments_, Retry: [{ ErrorEquals: ['States.ALL'] }] })));
    expect(result.output).toBe('done');
    expect(calls.map(({ payload }) => payload['retries'])).toEqual([0, 1, 2]);
  });

  it('gets no input that is larger than a state may carry', async () => {
    const large = {
      FunctionName: 'f',
      Payload: "{% $join($map([1..30000], function($n) { '0123456789' })) %}",
    };
    expect(await run(one(task({ Arguments: large })))).toMatchObject({ error: 'States.DataLimitExceeded' });
    expect(calls).toEqual([]);
  });
});

describe('a task token', () => {
  const waiting = (more: object = {}) =>
    one({
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
      Arguments: { FunctionName: FUNCTION, Payload: TOKEN },
      ...more,
    });
  const token = (): string => String(calls.at(-1)?.payload['token']);

  it('brings one answer and no second', async () => {
    const arn = await start(waiting());
    await clock.settle();
    await client.send(new SendTaskFailureCommand({ taskToken: token(), error: 'Mine', cause: 'why' }));
    const again = client.send(new SendTaskSuccessCommand({ taskToken: token(), output: '1' }));
    await expect(again).rejects.toMatchObject({ name: 'TaskTimedOut' });
    await clock.settle();
    expect(await outcome(arn)).toEqual({ status: 'FAILED', error: 'Mine', cause: 'why' });
  });

  it('of another engine belongs to no task', async () => {
    const foreign = Buffer.alloc(96, 7).toString('base64');
    await expect(
      client.send(new SendTaskSuccessCommand({ taskToken: foreign, output: '1' })),
    ).rejects.toMatchObject({ name: 'TaskDoesNotExist' });
  });

  it('is another one for each attempt, and expires with it', async () => {
    const arn = await start(
      waiting({
        TimeoutSeconds: '{% 60 %}',
        Retry: [{ ErrorEquals: ['States.Timeout'], IntervalSeconds: 5 }],
      }),
    );
    await clock.advance(65_000);
    expect(calls).toHaveLength(2);
    const [first] = calls;
    expect(first?.payload['token']).not.toBe(token());
    await expect(
      client.send(new SendTaskSuccessCommand({ taskToken: String(first?.payload['token']), output: '1' })),
    ).rejects.toMatchObject({ name: 'TaskTimedOut' });
    await client.send(new SendTaskSuccessCommand({ taskToken: token(), output: '"second"' }));
    await clock.settle();
    expect((await outcome(arn)).output).toBe('second');
    const types = (await historyOf(arn)).map(({ type }) => type);
    expect(types.filter((type) => type?.startsWith('Task'))).toEqual([
      'TaskStateEntered',
      ...['TaskScheduled', 'TaskStarted', 'TaskSubmitted', 'TaskTimedOut'],
      ...['TaskScheduled', 'TaskStarted', 'TaskSubmitted', 'TaskSucceeded'],
      'TaskStateExited',
    ]);
  });

  it('can go through a queue', async () => {
    const queue = sqs.queues.create('q', {});
    const Arguments = { QueueUrl: sqs.queues.urlOf(queue), MessageBody: TOKEN };
    const arn = await start(
      one({ Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken', Arguments }),
    );
    await clock.settle();
    const [message] = queue.live.values();
    const { token: taskToken } = JSON.parse(String(message?.body));
    await client.send(new SendTaskSuccessCommand({ taskToken, output: '{"ok":1}' }));
    await clock.settle();
    expect((await outcome(arn)).output).toEqual({ ok: 1 });
  });
});

describe('calls of other services', () => {
  it('name errors by integration, and refusals as the service does', async () => {
    const send = (integration: string) =>
      one({
        Type: 'Task',
        Resource: `arn:aws:states:::${integration}:sendMessage`,
        Arguments: { QueueUrl: `${gateway.endpoint()}/123456789012/none`, MessageBody: 'x' },
      });
    const optimized = await create(send('sqs'), 'optimized');
    const sdk = await create(send('aws-sdk:sqs'), 'sdk');
    expect(await runMachine(optimized)).toMatchObject({ error: 'SQS.QueueDoesNotExistException' });
    world.denied = ['sqs:SendMessage'];
    sqs.queues.create('none', {});
    expect(await runMachine(optimized)).toMatchObject({ error: 'SQS.AmazonSQSException' });
    expect(await runMachine(sdk)).toMatchObject({ error: 'Sqs.SqsException' });
  });

  it('let time pass where the call waits for it', async () => {
    const child = await create(
      one({ Type: 'Wait', Seconds: 20, Output: { done: true } }),
      'quick',
      'EXPRESS',
    );
    const result = await run(
      one({
        Type: 'Task',
        Resource: 'arn:aws:states:::aws-sdk:sfn:startSyncExecution',
        Arguments: { StateMachineArn: child },
        Output: '{% $parse($states.result.Output) %}',
      }),
    );
    expect(result).toMatchObject({ status: 'SUCCEEDED', output: { done: true } });
  });
});

describe('another execution', () => {
  it('can be one of the same machine, until it has had enough', async () => {
    const machine = await create({
      StartAt: 'Enough',
      States: {
        Enough: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.input.left = 0 %}', Next: 'End' }],
          Default: 'Again',
        },
        Again: {
          Type: 'Task',
          Resource: `${NESTED}.sync:2`,
          Arguments: {
            StateMachineArn: '{% $states.context.StateMachine.Id %}',
            Input: { left: '{% $states.input.left - 1 %}' },
          },
          Output: '{% $states.result.Output + 1 %}',
          End: true,
        },
        End: { Type: 'Succeed', Output: 0 },
      },
    });
    expect((await runMachine(machine, { left: 4 })).output).toBe(4);
  });

  it('hands its failure over, with what DescribeExecution says', async () => {
    const child = await create(
      { StartAt: 'F', States: { F: { Type: 'Fail', Error: 'Mine', Cause: 'why' } } },
      'child',
    );
    const failed = await run(nest(child, '.sync:2'));
    expect(failed).toMatchObject({ status: 'FAILED', error: 'States.TaskFailed' });
    expect(JSON.parse(String(failed.cause))).toMatchObject({ Status: 'FAILED', Error: 'Mine', Cause: 'why' });
  });

  it('gives its output as text with .sync, and is stopped when nobody waits any more', async () => {
    const child = await create(one({ Type: 'Wait', Seconds: 100, Output: { done: true } }), 'child');
    const text = await create(nest(child, '.sync', { Output: '{% $states.result.Output %}' }), 'text');
    expect((await runMachine(text)).output).toBe('{"done":true}');
    const hasty = await create(nest(child, '.sync:2', { TimeoutSeconds: 10 }), 'hasty');
    const { executionArn, error } = await runMachine(hasty);
    expect(error).toBe('States.Timeout');
    const submitted = (await historyOf(executionArn)).find(({ type }) => type === 'TaskSubmitted');
    const { ExecutionArn: abandoned } = JSON.parse(String(submitted?.taskSubmittedEventDetails?.output));
    expect((await outcome(abandoned)).status).toBe('ABORTED');
  });

  it('is refused without the rights, with the error of the integration', async () => {
    const child = await create(one({ Type: 'Pass' }), 'child');
    const machine = await create(nest(child), 'parent');
    const before = await runMachine(machine);
    expect(before.status).toBe('SUCCEEDED');
    const missing = await create(nest(`${child}-none`), 'missing');
    expect(await runMachine(missing)).toMatchObject({
      error: 'StepFunctions.StateMachineDoesNotExistException',
    });
    const syncing = await create(nest(child, '.sync'), 'syncing');
    world.denied = ['states:StopExecution'];
    expect(await runMachine(syncing)).toMatchObject({ error: 'StepFunctions.AWSStepFunctionsException' });
  });
});
