import {
  CancelMessageMoveTaskCommand,
  DeleteQueueCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  SetQueueAttributesCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, TestSqs } from './sqs-server';

let sqs: TestSqs;
beforeEach(async () => {
  sqs = await TestSqs.start();
});
afterEach(() => sqs.stop());

async function deadLetter(source: string, body: string, times = 2): Promise<string> {
  const id = await sqs.send(source, body);
  for (let receive = 0; receive < times; receive++) await sqs.receive(source, { VisibilityTimeout: 0 });
  await sqs.receive(source);
  return id;
}

describe('the move to the dead-letter queue', () => {
  it('happens on the receive after the last allowed one, with id, count and source', async () => {
    const { source, dlq, sourceArn } = await sqs.pair(false, 2);
    const id = await sqs.send(source, 'poison');
    expect(await sqs.receive(source, { VisibilityTimeout: 0 })).toHaveLength(1);
    expect(await sqs.receive(source, { VisibilityTimeout: 0 })).toHaveLength(1);
    expect(await sqs.counts(dlq)).toEqual([0, 0, 0]);
    expect(await sqs.receive(source)).toHaveLength(0);
    const [dead] = await sqs.receive(dlq);
    expect(dead?.MessageId).toBe(id);
    expect(dead?.Attributes).toMatchObject({
      DeadLetterQueueSourceArn: sourceArn,
      ApproximateReceiveCount: '3',
    });
  });

  it('keeps the retention clock of a standard message', async () => {
    const { source, dlq } = await sqs.pair(false, 1);
    await sqs.send(source, 'poison');
    await sqs.clock.advance(3 * DAY);
    await sqs.receive(source, { VisibilityTimeout: 0 });
    await sqs.receive(source);
    expect(await sqs.counts(dlq)).toEqual([1, 0, 0]);
    await sqs.clock.advance(DAY - 1);
    expect(await sqs.counts(dlq)).toEqual([1, 0, 0]);
    await sqs.clock.advance(1);
    expect(await sqs.counts(dlq)).toEqual([0, 0, 0]);
  });

  it('starts the retention clock of a FIFO message anew', async () => {
    const { source, dlq } = await sqs.pair(true, 1);
    await sqs.send(source, 'poison', { MessageGroupId: 'g', MessageDeduplicationId: 'd' });
    await sqs.clock.advance(3 * DAY);
    await sqs.receive(source, { VisibilityTimeout: 0 });
    await sqs.receive(source);
    await sqs.clock.advance(4 * DAY - 1);
    expect(await sqs.counts(dlq)).toEqual([1, 0, 0]);
    await sqs.clock.advance(1);
    expect(await sqs.counts(dlq)).toEqual([0, 0, 0]);
  });

  it('leaves a message in the source when the dead-letter queue is gone', async () => {
    const { source, dlq } = await sqs.pair(false, 1);
    await sqs.send(source, 'poison');
    await sqs.client.send(new DeleteQueueCommand({ QueueUrl: dlq }));
    await sqs.receive(source, { VisibilityTimeout: 0 });
    expect(await sqs.receive(source, { VisibilityTimeout: 0 })).toHaveLength(1);
  });

  it('is refused to sources that the redrive-allow policy does not name', async () => {
    const dlq = await sqs.createQueue('d');
    const RedriveAllowPolicy = JSON.stringify({
      redrivePermission: 'byQueue',
      sourceQueueArns: ['arn:aws:sqs:eu-west-1:123456789012:friend'],
    });
    await sqs.client.send(
      new SetQueueAttributesCommand({ QueueUrl: dlq, Attributes: { RedriveAllowPolicy } }),
    );
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:123456789012:d',
      maxReceiveCount: 3,
    });
    await expect(sqs.createQueue('stranger', { RedrivePolicy })).rejects.toThrow('does not allow');
    const friend = await sqs.createQueue('friend', { RedrivePolicy });
    const { queueUrls } = await sqs.client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dlq }));
    expect(queueUrls).toEqual([friend]);
  });

  it('is refused between a standard and a FIFO queue', async () => {
    await sqs.createQueue('d');
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:123456789012:d',
      maxReceiveCount: 3,
    });
    await expect(sqs.createQueue('f.fifo', { FifoQueue: 'true', RedrivePolicy })).rejects.toThrow(
      'same type',
    );
  });
});

describe('message move tasks', () => {
  it('moves back to the source at the rate, with a new id and a count from one', async () => {
    const { source, dlq, dlqArn } = await sqs.pair(false, 1);
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) ids.push(await deadLetter(source, `m${index}`, 1));
    expect(await sqs.counts(dlq)).toEqual([3, 0, 0]);
    const { TaskHandle } = await sqs.client.send(
      new StartMessageMoveTaskCommand({ SourceArn: dlqArn, MaxNumberOfMessagesPerSecond: 1 }),
    );
    expect(TaskHandle).toBeDefined();
    await sqs.clock.advance(2_000);
    expect(await sqs.counts(source)).toEqual([2, 0, 0]);
    const running = await sqs.client.send(new ListMessageMoveTasksCommand({ SourceArn: dlqArn }));
    expect(running.Results).toMatchObject([
      {
        Status: 'RUNNING',
        TaskHandle,
        ApproximateNumberOfMessagesToMove: 3,
        MaxNumberOfMessagesPerSecond: 1,
      },
    ]);
    await sqs.clock.advance(2_000);
    const done = await sqs.client.send(new ListMessageMoveTasksCommand({ SourceArn: dlqArn }));
    expect(done.Results).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 3 }]);
    expect(done.Results?.[0]?.TaskHandle).toBeUndefined();
    const back = await sqs.receive(source);
    expect(back).toHaveLength(3);
    for (const { MessageId, Attributes } of back) {
      expect(ids).not.toContain(MessageId);
      expect(Attributes?.ApproximateReceiveCount).toBe('1');
      expect(Attributes?.DeadLetterQueueSourceArn).toBeUndefined();
    }
  });

  it('allows one task a queue, and cancels without undoing', async () => {
    const { source, dlq, dlqArn } = await sqs.pair(false, 1);
    for (let index = 0; index < 3; index++) await deadLetter(source, `m${index}`, 1);
    const start = new StartMessageMoveTaskCommand({ SourceArn: dlqArn, MaxNumberOfMessagesPerSecond: 1 });
    const { TaskHandle } = await sqs.client.send(start);
    await expect(sqs.client.send(start)).rejects.toThrow('already a task running');
    await sqs.clock.advance(1_000);
    await sqs.client.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
    await sqs.clock.advance(5_000);
    const { Results } = await sqs.client.send(new ListMessageMoveTasksCommand({ SourceArn: dlqArn }));
    expect(Results?.[0]?.Status).toBe('CANCELLED');
    expect([await sqs.counts(source), await sqs.counts(dlq)]).toEqual([
      [1, 0, 0],
      [2, 0, 0],
    ]);
  });

  it('fails on a message whose source nobody knows, which stays', async () => {
    const { dlq, dlqArn } = await sqs.pair();
    await sqs.send(dlq, 'sent straight here');
    await sqs.client.send(new StartMessageMoveTaskCommand({ SourceArn: dlqArn }));
    await sqs.clock.advance(1_000);
    const { Results } = await sqs.client.send(new ListMessageMoveTasksCommand({ SourceArn: dlqArn }));
    expect(Results).toMatchObject([{ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' }]);
    expect(await sqs.counts(dlq)).toEqual([1, 0, 0]);
  });

  it.each([
    [{ MaxNumberOfMessagesPerSecond: 0 }, 'MaxNumberOfMessagesPerSecond'],
    [{ MaxNumberOfMessagesPerSecond: 501 }, 'MaxNumberOfMessagesPerSecond'],
    [{ DestinationArn: 'arn:aws:sqs:eu-west-1:123456789012:none' }, "doesn't exist"],
  ])('refuses %j', async (more, reason) => {
    const { dlqArn } = await sqs.pair();
    await expect(
      sqs.client.send(new StartMessageMoveTaskCommand({ SourceArn: dlqArn, ...more })),
    ).rejects.toThrow(reason);
  });

  it('refuses a queue that is no dead-letter queue', async () => {
    const { sourceArn } = await sqs.pair();
    await expect(sqs.client.send(new StartMessageMoveTaskCommand({ SourceArn: sourceArn }))).rejects.toThrow(
      'must be configured as a Dead Letter Queue',
    );
  });
});
