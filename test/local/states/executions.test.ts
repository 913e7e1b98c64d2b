import {
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { client, clock, create, one, outcome, run, start, task } from './states-rig';

describe('executions', () => {
  it('are the same for the same name and input while they run', async () => {
    const arn = await start(one({ Type: 'Wait', Seconds: 100 }));
    const stateMachineArn = arn.replace(':execution:', ':stateMachine:').replace(/:run$/, '');
    const again = await client.send(new StartExecutionCommand({ stateMachineArn, name: 'run', input: '{}' }));
    expect(again.executionArn).toBe(arn);
    await expect(
      client.send(new StartExecutionCommand({ stateMachineArn, name: 'run', input: '{"a":1}' })),
    ).rejects.toMatchObject({
      name: 'ExecutionAlreadyExists',
    });
    await client.send(new StopExecutionCommand({ executionArn: arn, error: 'Enough' }));
    await clock.settle();
    expect(await outcome(arn)).toMatchObject({ status: 'ABORTED', error: 'Enough' });
    const { executions } = await client.send(
      new ListExecutionsCommand({ stateMachineArn, statusFilter: 'ABORTED' }),
    );
    expect(executions?.map(({ name }) => name)).toEqual(['run']);
    await expect(
      client.send(new StartExecutionCommand({ stateMachineArn, name: 'a b' })),
    ).rejects.toMatchObject({ name: 'InvalidName' });
  });

  it('keep a history as AWS does', async () => {
    const arn = await start(one(task()));
    await clock.settle();
    const { events } = await client.send(new GetExecutionHistoryCommand({ executionArn: arn }));
    expect(events?.map(({ id, previousEventId, type }) => [id, previousEventId, type])).toEqual([
      [1, 0, 'ExecutionStarted'],
      [2, 1, 'TaskStateEntered'],
      [3, 2, 'TaskScheduled'],
      [4, 3, 'TaskStarted'],
      [5, 4, 'TaskSucceeded'],
      [6, 5, 'TaskStateExited'],
      [7, 6, 'ExecutionSucceeded'],
    ]);
    expect(events?.[4]?.taskSucceededEventDetails).toMatchObject({
      resource: 'invoke',
      resourceType: 'lambda',
    });
  });

  it('fail at the 25,000th event', async () => {
    const result = await run({
      StartAt: 'A',
      States: {
        A: { Type: 'Pass', Next: 'B' },
        B: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.input.stop = true %}', Next: 'End' }],
          Default: 'A',
        },
        End: { Type: 'Succeed' },
      },
    });
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.Runtime' });
  });
});

describe('a definition', () => {
  it.each([
    [{ StartAt: 'S', States: { S: { Type: 'Pass', Next: 'Nowhere' } } }, "'S' goes to 'Nowhere'"],
    [
      { StartAt: 'S', States: { S: { Type: 'Pass', End: true }, Lost: { Type: 'Succeed' } } },
      "'Lost' can't be reached",
    ],
    [one({ Type: 'Pass', Parameters: {} }), "'S': JSONPath is not emulated (Parameters)"],
    [{ QueryLanguage: 'JSONPath', ...one({ Type: 'Pass' }) }, "'S': JSONPath is not emulated"],
    [one({ Type: 'Pass', Output: '{% $states.input. %}' }), "'S': INVALID_JSONATA_EXPRESSION"],
    [
      one({ Type: 'Task', Resource: 'arn:aws:states:::glue:startJobRun' }),
      "'S': the resource arn:aws:states:::glue:startJobRun is not emulated",
    ],
    [one({ Type: 'Pass', Colour: 'red' }), "'S': the field 'Colour'"],
    [
      one({
        Type: 'Map',
        ItemReader: { Resource: 'arn:aws:states:::s3:getObject' },
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED' },
          StartAt: 'A',
          States: { A: { Type: 'Pass', End: true } },
        },
      }),
      "'S': the field 'ItemReader'",
    ],
  ])('that can not run is refused with the name of the state: %#', async (definition, reason) => {
    await expect(create(definition)).rejects.toThrow(reason);
  });
});
