import {
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../../local/scheduler/scheduler';
import { create, functionArn, machineArn, queueArn, rig, roleArn, topicArn } from '../cloudwatch/gateway-rig';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function start(before: (service: ReturnType<typeof createScheduler>) => void = () => {}) {
  const base = rig();
  const service = createScheduler(base.environment, base.ports.all);
  before(service);
  const client = new SchedulerClient(await base.serve(service));
  return { ...base, service, client };
}

const target = (arn: string, more: object = {}) => ({ Arn: arn, RoleArn: roleArn('sends'), ...more });
const OFF = { FlexibleTimeWindow: { Mode: 'OFF' as const } };

describe('a schedule', () => {
  it('calls queue, topic, function and state machine, as its role', async () => {
    const arns = [queueArn('q'), topicArn('t'), functionArn('f'), machineArn('m')];
    const { clock, ports, asked } = await start((service) => {
      for (const arn of arns)
        create(service, 'AWS::Scheduler::Schedule', {
          Name: arn.split(':').at(-1),
          ScheduleExpression: 'rate(5 minutes)',
          Target: target(arn, { Input: '{"at":"<aws.scheduler.scheduled-time>"}' }),
          ...OFF,
        });
    });
    await clock.advance(4 * MINUTE);
    expect(asked).toEqual([]);
    await clock.advance(MINUTE);
    const input = { at: '2026-01-05T09:05:00Z' };
    expect(ports.sent).toEqual([{ queue: 'q', message: { body: JSON.stringify(input) } }]);
    expect(ports.published).toEqual([{ topic: 't', body: JSON.stringify(input) }]);
    expect(ports.invoked).toEqual([{ name: 'f', payload: input }]);
    expect(ports.started).toEqual([{ machine: 'm', input }]);
    expect(asked.map(({ identity, action, resource }) => [identity.roleArn, action, resource])).toEqual([
      [roleArn('sends'), 'sqs:SendMessage', arns[0]],
      [roleArn('sends'), 'sns:Publish', arns[1]],
      [roleArn('sends'), 'lambda:InvokeFunction', arns[2]],
      [roleArn('sends'), 'states:StartExecution', arns[3]],
    ]);
    await clock.advance(10 * MINUTE);
    expect(ports.sent).toHaveLength(3);
  });

  it('is undelivered when its role may not, and goes to its dead-letter queue', async () => {
    const { clock, ports, denied, eventsOf } = await start((service) => {
      create(service, 'AWS::Scheduler::Schedule', {
        Name: 's',
        ScheduleExpression: 'rate(1 hour)',
        Target: target(functionArn('f'), { Input: '{"a":1}', DeadLetterConfig: { Arn: queueArn('dead') } }),
      });
    });
    denied.add('lambda:InvokeFunction');
    await clock.advance(HOUR);
    expect(ports.invoked).toEqual([]);
    expect(ports.sent).toMatchObject([
      {
        queue: 'dead',
        message: {
          body: '{"a":1}',
          messageAttributes: {
            ERROR_CODE: { stringValue: 'AccessDeniedException' },
            ERROR_MESSAGE: { stringValue: 'may not lambda:InvokeFunction' },
            SCHEDULE_ARN: { stringValue: 'arn:aws:scheduler:eu-west-1:123456789012:schedule/default/s' },
          },
        },
      },
    ]);
    expect(eventsOf('scheduler.undelivered')).toMatchObject([{ reason: 'may not lambda:InvokeFunction' }]);
  });

  it('keeps to its time zone, its begin and its end', async () => {
    const { clock, ports } = await start((service) => {
      create(service, 'AWS::Scheduler::Schedule', {
        Name: 'daily',
        ScheduleExpression: 'cron(0 9 * * ? *)',
        ScheduleExpressionTimezone: 'Europe/Vienna',
        StartDate: '2026-01-07T00:00:00Z',
        EndDate: '2026-01-09T00:00:00Z',
        Target: target(queueArn('q'), { Input: '<aws.scheduler.scheduled-time>' }),
      });
    });
    await clock.advance(10 * 24 * HOUR);
    expect(ports.sent.map(({ message }) => message.body)).toEqual([
      '2026-01-07T08:00:00Z',
      '2026-01-08T08:00:00Z',
    ]);
  });

  it.each([
    [{ ScheduleExpression: 'cron(0 9 * * * *)' }, 'ScheduleExpression', /needs \?/],
    [{ Target: target('arn:aws:scheduler:::aws-sdk:sqs:sendMessage') }, 'Target.Arn', /universal target/],
    [{ Target: target('arn:aws:kinesis:eu-west-1:1:stream/s') }, 'Target.Arn', /not emulated/],
    [{ Target: { Arn: queueArn('q') } }, 'Target.RoleArn', /needs a role/],
    [{ Target: target(functionArn('f'), { Input: 'plain' }) }, 'Target.Input', /must be JSON/],
    [{ GroupName: 'none' }, 'GroupName', /no schedule group/],
  ])('is refused with %j', async (wrong, property, message) => {
    const { service } = await start();
    const given = { ScheduleExpression: 'rate(1 day)', Target: target(queueArn('q')), ...wrong };
    expect(() => create(service, 'AWS::Scheduler::Schedule', given)).toThrow(
      expect.objectContaining({ property, message: expect.stringMatching(message) }),
    );
  });
});

describe('the API', () => {
  it('makes, changes, lists and deletes schedules, and deletes one that is done when asked to', async () => {
    const { client, clock, ports } = await start();
    const given = {
      Name: 'once',
      ScheduleExpression: 'at(2026-01-05T10:00:00)',
      Target: target(queueArn('q'), { Input: 'hello' }),
      ActionAfterCompletion: 'DELETE' as const,
      ...OFF,
    };
    await client.send(new CreateScheduleCommand(given));
    await expect(client.send(new CreateScheduleCommand(given))).rejects.toMatchObject({
      name: 'ConflictException',
      message: 'Schedule once already exists.',
    });
    await client.send(
      new UpdateScheduleCommand({
        ...given,
        ScheduleExpression: 'at(2026-01-05T11:00:00)',
        State: 'DISABLED',
      }),
    );
    await clock.advance(2 * HOUR);
    expect(ports.sent).toEqual([]);
    expect(await client.send(new GetScheduleCommand({ Name: 'once' }))).toMatchObject({
      State: 'DISABLED',
      ScheduleExpression: 'at(2026-01-05T11:00:00)',
      CreationDate: new Date('2026-01-05T09:00:00Z'),
    });

    await client.send(
      new UpdateScheduleCommand({
        ...given,
        ScheduleExpression: 'at(2026-01-05T12:00:00)',
        State: 'ENABLED',
      }),
    );
    await clock.advance(HOUR);
    expect(ports.sent).toMatchObject([{ queue: 'q', message: { body: 'hello' } }]);
    await expect(client.send(new GetScheduleCommand({ Name: 'once' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('keeps schedules in groups, which go with them', async () => {
    const { client, clock, ports } = await start();
    await client.send(new CreateScheduleGroupCommand({ Name: 'g' }));
    for (const Name of ['a', 'b'])
      await client.send(
        new CreateScheduleCommand({
          Name,
          GroupName: 'g',
          ScheduleExpression: 'rate(1 hour)',
          Target: target(queueArn('q')),
          ...OFF,
        }),
      );
    await client.send(new DeleteScheduleCommand({ Name: 'a', GroupName: 'g' }));
    const { Schedules } = await client.send(new ListSchedulesCommand({ GroupName: 'g' }));
    expect(Schedules?.map(({ Name }) => Name)).toEqual(['b']);
    await clock.advance(HOUR);
    expect(JSON.parse(ports.sent[0]?.message.body ?? '')).toMatchObject({
      'detail-type': 'Scheduled Event',
      resources: ['arn:aws:scheduler:eu-west-1:123456789012:schedule/g/b'],
    });
    await client.send(new DeleteScheduleGroupCommand({ Name: 'g' }));
    await clock.advance(HOUR);
    expect(ports.sent).toHaveLength(1);
  });

  it('asks for the right to create, and to pass the role', async () => {
    const { client, denied } = await start();
    const command = new CreateScheduleCommand({
      Name: 's',
      ScheduleExpression: 'rate(1 hour)',
      Target: target(queueArn('q')),
      ...OFF,
    });
    for (const action of ['iam:PassRole', 'scheduler:CreateSchedule']) {
      denied.clear();
      denied.add(action);
      await expect(client.send(command)).rejects.toMatchObject({
        name: 'AccessDeniedException',
        message: `may not ${action}`,
      });
    }
  });
});
