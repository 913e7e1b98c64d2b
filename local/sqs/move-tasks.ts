import { randomUUID } from 'node:crypto';
import type { Timer } from '../clock/clock';
import type { Queue } from './queue';
import type { QueueRegistry } from './queue-registry';
import { invalidValue, SqsError } from './sqs-error';

/** The rate that SQS chooses itself is not documented; its limit is. */
const MAXIMUM_RATE = 500;
/** A faster rate moves several messages each tenth of a second. */
const STEP_MS = 100;
const KEPT_TASKS = 10;

type Status = 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED';

export interface MoveTask {
  readonly handle: string;
  readonly source: Queue;
  readonly destination: Queue | undefined;
  readonly rate: number | undefined;
  readonly startedAt: number;
  readonly toMove: number;
  status: Status;
  moved: number;
  failureReason?: string;
  timer?: Timer;
}

/**
 * StartMessageMoveTask and its fellows: one running task a dead-letter queue, new message ids, receive counts from 0.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export class MoveTasks {
  private readonly tasks = new Map<string, MoveTask[]>();

  constructor(private readonly queues: QueueRegistry) {}

  start(sourceArn: unknown, destinationArn: unknown, rate: unknown): MoveTask {
    if (typeof sourceArn !== 'string' || sourceArn === '')
      throw new SqsError('MissingParameter', 'The request must contain the parameter SourceArn.');
    const source = this.queues.byArn(sourceArn);
    if (source === undefined)
      throw new SqsError(
        'ResourceNotFoundException',
        "The resource that you specified for the SourceArn parameter doesn't exist.",
        404,
      );
    if (this.queues.sourcesOf(source).length === 0)
      throw invalidValue('Source queue must be configured as a Dead Letter Queue.');
    const destination = this.destination(source, destinationArn);
    if (rate !== undefined && (!Number.isInteger(rate) || Number(rate) < 1 || Number(rate) > MAXIMUM_RATE))
      throw invalidValue(
        `Value ${String(rate)} for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must specify an integer value between 1 and ${MAXIMUM_RATE}.`,
      );
    if (this.of(source).some(({ status }) => status === 'RUNNING' || status === 'CANCELLING'))
      throw invalidValue(
        'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
      );
    source.expire();
    const task: MoveTask = {
      handle: Buffer.from(JSON.stringify({ taskId: randomUUID(), sourceArn })).toString('base64'),
      source,
      destination,
      rate: rate === undefined ? undefined : Number(rate),
      startedAt: this.queues.clock.now(),
      toMove: source.visible,
      status: 'RUNNING',
      moved: 0,
    };
    this.tasks.set(source.arn, [task, ...this.of(source)].slice(0, KEPT_TASKS));
    this.next(task);
    return task;
  }

  /** Asynchronous, as on AWS: what is under way still moves. Answers how many had moved. */
  cancel(handle: unknown): number {
    const task = [...this.tasks.values()].flat().find((candidate) => candidate.handle === handle);
    if (task === undefined) throw new SqsError('ResourceNotFoundException', 'Task does not exist.', 404);
    if (task.status !== 'RUNNING')
      throw new SqsError('UnsupportedOperation', 'Only active tasks can be cancelled.');
    task.status = 'CANCELLING';
    task.timer?.cancel();
    task.timer = this.queues.clock.after(STEP_MS, () => {
      task.status = 'CANCELLED';
    });
    return task.moved;
  }

  /** The latest first. */
  list(sourceArn: unknown, maximum: unknown = 1): MoveTask[] {
    const source = typeof sourceArn === 'string' ? this.queues.byArn(sourceArn) : undefined;
    if (source === undefined)
      throw new SqsError(
        'ResourceNotFoundException',
        "The resource that you specified for the SourceArn parameter doesn't exist.",
        404,
      );
    if (!Number.isInteger(maximum) || Number(maximum) < 1 || Number(maximum) > 10)
      throw invalidValue(
        `Value ${String(maximum)} for parameter MaxResults is invalid. Reason: from 1 to 10.`,
      );
    return this.of(source).slice(0, Number(maximum));
  }

  stop(): void {
    for (const task of [...this.tasks.values()].flat()) task.timer?.cancel();
  }

  private of(source: Queue): MoveTask[] {
    return this.tasks.get(source.arn) ?? [];
  }

  private destination(source: Queue, arn: unknown): Queue | undefined {
    if (arn === undefined || arn === null) return undefined;
    const queue = this.queues.byArn(String(arn));
    if (queue === undefined)
      throw new SqsError(
        'ResourceNotFoundException',
        "The resource that you specified for the DestinationArn parameter doesn't exist.",
        404,
      );
    if (queue === source) throw invalidValue('Source and destination queue must not be the same.');
    if (queue.fifo !== source.fifo)
      throw invalidValue('Source and destination queue must be of the same type.');
    return queue;
  }

  private next(task: MoveTask): void {
    const rate = task.rate ?? MAXIMUM_RATE;
    const interval = Math.max(1000 / rate, STEP_MS);
    task.timer = this.queues.clock.after(interval, () =>
      this.step(task, Math.round((rate * interval) / 1000)),
    );
  }

  private step(task: MoveTask, count: number): void {
    if (task.status !== 'RUNNING') return;
    for (let moved = 0; moved < count; moved++) {
      const [message] = task.source.receive(1, 30);
      if (message === undefined) {
        task.status = 'COMPLETED';
        return;
      }
      const destination =
        task.destination ??
        (message.deadLetterSourceArn === undefined
          ? undefined
          : this.queues.byArn(message.deadLetterSourceArn));
      if (destination === undefined) {
        task.source.changeVisibility(message, 0);
        task.status = 'FAILED';
        task.failureReason =
          message.deadLetterSourceArn === undefined
            ? 'CouldNotDetermineMessageSource'
            : 'AWS.SimpleQueueService.NonExistentQueue';
        return;
      }
      destination.send({
        body: message.body,
        senderId: message.senderId,
        ...(message.attributes === undefined ? {} : { attributes: message.attributes }),
        ...(message.traceHeader === undefined ? {} : { traceHeader: message.traceHeader }),
        ...(message.groupId === undefined ? {} : { groupId: message.groupId }),
        ...(destination.fifo ? { deduplicationId: randomUUID() } : {}),
      });
      task.source.remove(message);
      task.moved++;
    }
    this.next(task);
  }
}
