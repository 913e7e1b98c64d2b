import {
  DeleteRuleCommand,
  DescribeRuleCommand,
  DisableRuleCommand,
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  type PutEventsRequestEntry,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import { createEvents } from '../../../local/events/events';
import { create, functionArn, machineArn, queueArn, rig, roleArn, topicArn } from '../cloudwatch/gateway-rig';

const MINUTE = 60_000;
const PATTERN = { source: ['shop'], detail: { state: ['paid'] } };

async function start(rules: Readonly<Record<string, unknown>>[] = []) {
  const base = rig();
  const service = createEvents(base.environment, base.ports.all);
  await create(service, 'AWS::Events::EventBus', { Name: 'orders' });
  for (const [index, rule] of rules.entries())
    await create(service, 'AWS::Events::Rule', { Name: `rule${index}`, ...rule });
  const client = new EventBridgeClient(await base.serve(service));
  const put = (...entries: Partial<PutEventsRequestEntry>[]) =>
    client.send(
      new PutEventsCommand({
        Entries: entries.map((entry) => ({
          Source: 'shop',
          DetailType: 'Order',
          Detail: '{"state":"paid","id":7,"who":"Ann \\"A\\""}',
          ...entry,
        })),
      }),
    );
  return { ...base, service, client, put };
}

const targets = (arn: string, more: object = {}) => [{ Id: 't', Arn: arn, ...more }];

describe('an event', () => {
  it('goes to every target of a rule that it matches, whole', async () => {
    const arns = [queueArn('q'), topicArn('t'), functionArn('f'), machineArn('m')];
    const all = arns.map((Arn, Id) => ({ Id: String(Id), Arn, RoleArn: roleArn('starts') }));
    const { put, ports, asked, eventsOf } = await start([{ EventPattern: PATTERN, Targets: all }]);
    const { FailedEntryCount, Entries } = await put(
      { Resources: ['arn:one'] },
      { Detail: '{"state":"open"}' },
    );
    expect(FailedEntryCount).toBe(0);
    const event = {
      version: '0',
      id: Entries?.[0]?.EventId,
      source: 'shop',
      'detail-type': 'Order',
      account: '123456789012',
      region: 'eu-west-1',
      time: '2026-01-05T09:00:00Z',
      resources: ['arn:one'],
      detail: { state: 'paid', id: 7, who: 'Ann "A"' },
    };
    expect(ports.sent.map(({ message }) => JSON.parse(message.body))).toEqual([event]);
    expect(ports.published.map(({ body }) => JSON.parse(body))).toEqual([event]);
    expect(ports.invoked).toEqual([{ name: 'f', payload: event }]);
    expect(ports.started).toEqual([{ machine: 'm', input: event }]);
    expect(asked.filter(({ identity }) => identity.roleArn !== undefined)).toMatchObject([
      {
        identity: { roleArn: roleArn('starts') },
        action: 'states:StartExecution',
        resource: machineArn('m'),
      },
    ]);
    expect(eventsOf('events.put')).toMatchObject([
      { source: 'shop', detailType: 'Order', detail: { state: 'paid' } },
      { detail: { state: 'open' } },
    ]);
  });

  it.each<[string, object, string]>([
    ['Input', { Input: '{"fixed":1}' }, '{"fixed":1}'],
    ['InputPath', { InputPath: '$.detail.id' }, '7'],
    [
      'InputTransformer, quoted and not',
      {
        InputTransformer: {
          InputPathsMap: { id: '$.detail.id', who: '$.detail.who', none: '$.detail.none' },
          InputTemplate:
            '{"text":"<who> has <id><none>","id":<id>,"who":<who>,"rule":"<aws.events.rule-name>"}',
        },
      },
      '{"text":"Ann \\"A\\" has 7","id":7,"who":"Ann \\"A\\"","rule":"rule0"}',
    ],
  ])('is changed by %s', async (_, how, body) => {
    const { put, ports } = await start([{ EventPattern: PATTERN, Targets: targets(queueArn('q'), how) }]);
    await put({});
    expect(ports.sent.map(({ message }) => message.body)).toEqual([body]);
  });

  it('stays on its bus', async () => {
    const { put, ports } = await start([
      { EventPattern: PATTERN, Targets: targets(queueArn('default')) },
      { EventPattern: PATTERN, EventBusName: 'orders', Targets: targets(queueArn('orders')) },
    ]);
    await put({ EventBusName: 'arn:aws:events:eu-west-1:123456789012:event-bus/orders' });
    expect(ports.sent.map(({ queue }) => queue)).toEqual(['orders']);
  });

  it('goes to the dead-letter queue of a target that is not there, or may not be started', async () => {
    const { put, ports, denied, eventsOf } = await start([
      {
        EventPattern: PATTERN,
        Targets: [
          { Id: '1', Arn: queueArn('broken'), DeadLetterConfig: { Arn: queueArn('dead') } },
          {
            Id: '2',
            Arn: machineArn('m'),
            RoleArn: roleArn('starts'),
            DeadLetterConfig: { Arn: queueArn('dead') },
          },
        ],
      },
    ]);
    denied.add('states:StartExecution');
    await put({});
    expect(ports.started).toEqual([]);
    const codes = ports.sent.map(({ message }) => message.messageAttributes?.['ERROR_CODE']?.stringValue);
    expect(codes.sort()).toEqual(['AccessDeniedException', 'Error']);
    expect(ports.sent.map(({ queue }) => queue)).toEqual(['dead', 'dead']);
    expect(eventsOf('events.undelivered')).toHaveLength(2);
  });

  it('fails alone in a batch when it is malformed', async () => {
    const { put, ports } = await start([{ EventPattern: PATTERN, Targets: targets(queueArn('q')) }]);
    const { FailedEntryCount, Entries } = await put(
      {},
      { Detail: '[1]' },
      { Source: 'aws.sqs' },
      { EventBusName: 'none' },
    );
    expect(FailedEntryCount).toBe(3);
    expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      undefined,
      'MalformedDetail',
      'NotAuthorizedForSource',
      'InvalidArgument',
    ]);
    expect(ports.sent).toHaveLength(1);
    await expect(put(...Array.from({ length: 11 }, () => ({})))).rejects.toThrow(/1 to 10/);
  });

  it('is refused without the right on its bus', async () => {
    const { put, denied, asked } = await start();
    denied.add('events:PutEvents');
    await expect(put({ EventBusName: 'orders' })).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(asked).toMatchObject([{ resource: 'arn:aws:events:eu-west-1:123456789012:event-bus/orders' }]);
  });
});

describe('a rule', () => {
  it('runs by time', async () => {
    const { clock, ports } = await start([
      { ScheduleExpression: 'rate(10 minutes)', Targets: targets(queueArn('q')) },
      { ScheduleExpression: 'cron(30 9 * * ? *)', Targets: targets(functionArn('f')) },
      { ScheduleExpression: 'rate(1 minute)', State: 'DISABLED', Targets: targets(queueArn('off')) },
    ]);
    await clock.advance(40 * MINUTE);
    expect(ports.sent.map(({ queue, message }) => [queue, JSON.parse(message.body).time])).toEqual([
      ['q', '2026-01-05T09:10:00Z'],
      ['q', '2026-01-05T09:20:00Z'],
      ['q', '2026-01-05T09:30:00Z'],
      ['q', '2026-01-05T09:40:00Z'],
    ]);
    expect(ports.invoked).toMatchObject([
      {
        name: 'f',
        payload: {
          source: 'aws.events',
          'detail-type': 'Scheduled Event',
          resources: ['arn:aws:events:eu-west-1:123456789012:rule/rule1'],
        },
      },
    ]);
  });

  it('is made, changed and deleted through the API', async () => {
    const { client, clock, ports, put } = await start();
    await client.send(new PutRuleCommand({ Name: 'r', EventPattern: JSON.stringify(PATTERN) }));
    await client.send(new PutTargetsCommand({ Rule: 'r', Targets: targets(queueArn('q')) }));
    await put({});
    expect(ports.sent).toHaveLength(1);
    await client.send(new PutRuleCommand({ Name: 'r', ScheduleExpression: 'rate(1 minute)' }));
    await clock.advance(2 * MINUTE);
    expect(ports.sent).toHaveLength(3);
    expect((await client.send(new ListTargetsByRuleCommand({ Rule: 'r' }))).Targets).toMatchObject([
      { Arn: queueArn('q') },
    ]);
    await client.send(new DisableRuleCommand({ Name: 'r' }));
    await clock.advance(2 * MINUTE);
    expect(ports.sent).toHaveLength(3);
    expect(await client.send(new DescribeRuleCommand({ Name: 'r' }))).toMatchObject({
      State: 'DISABLED',
      ScheduleExpression: 'rate(1 minute)',
    });
    await expect(client.send(new DeleteRuleCommand({ Name: 'r' }))).rejects.toThrow(/has targets/);
    await client.send(new RemoveTargetsCommand({ Rule: 'r', Ids: ['t'] }));
    await client.send(new DeleteRuleCommand({ Name: 'r' }));
    expect((await client.send(new ListRulesCommand({}))).Rules).toEqual([]);
    await expect(client.send(new DescribeRuleCommand({ Name: 'r' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it.each([
    [{}, 'EventPattern', /an EventPattern or a ScheduleExpression/],
    [{ EventPattern: { a: [{ cidr: 'x' }] } }, 'EventPattern', /cidr/],
    [{ ScheduleExpression: 'at(2026-01-05T10:00:00)' }, 'ScheduleExpression', /rate\(\) and cron\(\)/],
    [
      { ScheduleExpression: 'rate(1 day)', EventBusName: 'orders' },
      'ScheduleExpression',
      /default event bus/,
    ],
    [{ EventPattern: PATTERN, EventBusName: 'none' }, 'EventBusName', /no event bus none/],
    [
      { EventPattern: PATTERN, Targets: targets('arn:aws:ecs:eu-west-1:1:cluster/c') },
      'Targets',
      /not emulated/,
    ],
    [{ EventPattern: PATTERN, Targets: targets(machineArn('m')) }, 'Targets', /needs a RoleArn/],
  ])('is refused with %j', async (wrong, property, message) => {
    await expect(start([wrong])).rejects.toMatchObject({
      property,
      message: expect.stringMatching(message),
    });
  });
});
