import type { MetricSink } from '../gateway/service';
import { batchEntries, eachEntry } from './batch';
import type { MoveTask, MoveTasks } from './move-tasks';
import type { Queue } from './queue';
import type { Answer, Parameters } from './queue-actions';
import type { QueueRegistry } from './queue-registry';
import { numberOf } from './queue-settings';
import { readReceipt } from './receipt-handle';
import { receivedMessage } from './received';
import { type CheckedSend, checkedSend, performSend } from './sending';
import { invalidValue, SqsError } from './sqs-error';
import type { StoredMessage } from './stored-message';

const MAXIMUM_REQUEST_BYTES = 1_048_576;
const MAXIMUM_VISIBILITY = 43_200;
const ATTEMPT_ID_MS = 5 * 60 * 1000;

/** What one call needs besides its parameters. */
export interface CallContext {
  readonly senderId: string;
  /** Aborts when the caller goes away. */
  departure?(): AbortSignal;
  waiting?(): () => void;
}

export class MessageActions {
  private readonly attempts = new Map<
    string,
    { readonly until: number; readonly messages: StoredMessage[] }
  >();

  constructor(
    private readonly queues: QueueRegistry,
    private readonly moves: MoveTasks,
    private readonly metrics: MetricSink,
  ) {}

  SendMessage(given: Parameters, { senderId }: CallContext): Answer {
    const queue = this.queues.byUrl(given['QueueUrl']);
    const send = checkedSend(queue, given, senderId);
    this.count(queue, 'NumberOfMessagesSent', 1);
    return performSend(queue, send);
  }

  SendMessageBatch(given: Parameters, { senderId }: CallContext): Answer {
    const queue = this.queues.byUrl(given['QueueUrl']);
    const entries = batchEntries(given['Entries']);
    const checked = new Map<Parameters, CheckedSend | SqsError>();
    let size = 0;
    for (const entry of entries) {
      try {
        const send = checkedSend(queue, entry, senderId);
        size += send.size;
        checked.set(entry, send);
      } catch (error) {
        if (!(error instanceof SqsError)) throw error;
        checked.set(entry, error);
      }
    }
    if (size > MAXIMUM_REQUEST_BYTES)
      throw new SqsError(
        'BatchRequestTooLong',
        `Batch requests cannot be longer than ${MAXIMUM_REQUEST_BYTES} bytes. You have sent ${size} bytes.`,
      );
    const answer = eachEntry(entries, (entry) => {
      const send = checked.get(entry) as CheckedSend | SqsError;
      if (send instanceof SqsError) throw send;
      return performSend(queue, send);
    });
    this.count(queue, 'NumberOfMessagesSent', (answer['Successful'] as unknown[]).length);
    return answer;
  }

  async ReceiveMessage(given: Parameters, call: CallContext): Promise<Answer> {
    const queue = this.queues.byUrl(given['QueueUrl']);
    const maximum = inRange('MaxNumberOfMessages', given['MaxNumberOfMessages'] ?? 1, 1, 10);
    const wait = inRange(
      'WaitTimeSeconds',
      given['WaitTimeSeconds'] ?? numberOf(queue.attributes, 'ReceiveMessageWaitTimeSeconds'),
      0,
      20,
    );
    const visibility = inRange(
      'VisibilityTimeout',
      given['VisibilityTimeout'] ?? numberOf(queue.attributes, 'VisibilityTimeout'),
      0,
      MAXIMUM_VISIBILITY,
    );
    const messages =
      this.attempted(queue, given, visibility) ??
      (await this.receive(queue, maximum, visibility, wait * 1000, call));
    if (messages.length === 0) {
      this.count(queue, 'NumberOfEmptyReceives', 1);
      return {};
    }
    this.remember(queue, given, messages);
    const asked = {
      system: [...names(given['MessageSystemAttributeNames']), ...names(given['AttributeNames'])],
      attributes: names(given['MessageAttributeNames']),
    };
    return { Messages: messages.map((message) => receivedMessage(queue, message, asked)) };
  }

  /** Waits up to `waitMs` for the first message. */
  async receive(
    queue: Queue,
    maximum: number,
    visibility: number,
    waitMs: number,
    { departure, waiting }: Pick<CallContext, 'departure' | 'waiting'> = {},
  ): Promise<StoredMessage[]> {
    const take = (): StoredMessage[] | undefined => {
      const taken = queue.receive(maximum, visibility);
      return taken.length === 0 ? undefined : taken;
    };
    let messages = take();
    if (messages === undefined && waitMs === 0 && !queue.fifo && queue.isOverLimit())
      throw new SqsError('OverLimit', 'The maximum number of in flight messages is reached.', 403);
    if (messages === undefined && waitMs > 0) {
      const resume = waiting?.();
      messages = await queue.polls.wait(waitMs, take, departure?.());
      resume?.();
    }
    if (messages === undefined) return [];
    this.count(queue, 'NumberOfMessagesReceived', messages.length);
    return messages;
  }

  DeleteMessage({ QueueUrl: url, ReceiptHandle: handle }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    this.delete(queue, handle);
    return {};
  }

  DeleteMessageBatch({ QueueUrl: url, Entries: entries }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    return eachEntry(batchEntries(entries), ({ ReceiptHandle: handle }) => {
      this.delete(queue, handle);
      return {};
    });
  }

  /** A handle of an earlier receive succeeds and deletes nothing on a standard queue, and is refused on FIFO. */
  delete(queue: Queue, handle: unknown): void {
    const receipt = readReceipt(handle, queue.name);
    queue.expire();
    const message = queue.live.get(receipt.serial);
    if (message === undefined) return;
    const current = message.receivesHere === receipt.receive;
    if (queue.fifo && (!current || message.state !== 'in-flight')) throw expiredHandle(handle);
    if (!current) return;
    queue.remove(message);
    this.count(queue, 'NumberOfMessagesDeleted', 1);
  }

  ChangeMessageVisibility(given: Parameters): Answer {
    this.changeVisibility(this.queues.byUrl(given['QueueUrl']), given);
    return {};
  }

  ChangeMessageVisibilityBatch({ QueueUrl: url, Entries: entries }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    return eachEntry(batchEntries(entries), (entry) => {
      this.changeVisibility(queue, entry);
      return {};
    });
  }

  StartMessageMoveTask(given: Parameters): Answer {
    const { handle } = this.moves.start(
      given['SourceArn'],
      given['DestinationArn'],
      given['MaxNumberOfMessagesPerSecond'],
    );
    return { TaskHandle: handle };
  }

  CancelMessageMoveTask({ TaskHandle: handle }: Parameters): Answer {
    return { ApproximateNumberOfMessagesMoved: this.moves.cancel(handle) };
  }

  ListMessageMoveTasks({ SourceArn: arn, MaxResults: maximum }: Parameters): Answer {
    return { Results: this.moves.list(arn, maximum ?? 1).map(describeMove) };
  }

  private changeVisibility(
    queue: Queue,
    { ReceiptHandle: handle, VisibilityTimeout: value }: Parameters,
  ): void {
    const seconds = inRange('VisibilityTimeout', value, 0, MAXIMUM_VISIBILITY);
    const receipt = readReceipt(handle, queue.name);
    queue.expire();
    const message = queue.live.get(receipt.serial);
    if (message === undefined)
      throw invalidValue(
        `Value ${String(handle)} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
      );
    if (message.receivesHere !== receipt.receive && queue.fifo) throw expiredHandle(handle);
    if (message.state !== 'in-flight' || message.receivesHere !== receipt.receive)
      throw new SqsError('MessageNotInflight', 'The specified message is not in flight.');
    // The twelve hours count from the receive.
    const held = (this.queues.clock.now() - message.lastReceivedAt) / 1000;
    if (held + seconds > MAXIMUM_VISIBILITY)
      throw invalidValue(
        `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [${MAXIMUM_VISIBILITY} seconds].`,
      );
    queue.changeVisibility(message, seconds);
  }

  /** A repeated FIFO receive with the same attempt id gets the same messages, while all of them are still hidden. */
  private attempted(queue: Queue, given: Parameters, visibility: number): StoredMessage[] | undefined {
    const id = given['ReceiveRequestAttemptId'];
    if (!queue.fifo || typeof id !== 'string') return undefined;
    const known = this.attempts.get(`${queue.name}|${id}`);
    if (known === undefined || known.until <= this.queues.clock.now()) return undefined;
    if (known.messages.some(({ state }) => state !== 'in-flight')) return undefined;
    for (const message of known.messages) queue.changeVisibility(message, visibility);
    return known.messages;
  }

  private remember(queue: Queue, given: Parameters, messages: StoredMessage[]): void {
    const id = given['ReceiveRequestAttemptId'];
    if (!queue.fifo || typeof id !== 'string') return;
    const now = this.queues.clock.now();
    for (const [key, { until }] of this.attempts) if (until <= now) this.attempts.delete(key);
    this.attempts.set(`${queue.name}|${id}`, { until: now + ATTEMPT_ID_MS, messages });
  }

  private count(queue: Queue, name: string, value: number): void {
    if (value > 0)
      this.metrics.put({
        namespace: 'AWS/SQS',
        name,
        dimensions: { QueueName: queue.name },
        value,
        unit: 'Count',
      });
  }
}

function describeMove(task: MoveTask): Answer {
  return {
    ...(task.status === 'RUNNING' ? { TaskHandle: task.handle } : {}),
    Status: task.status,
    SourceArn: task.source.arn,
    ...(task.destination === undefined ? {} : { DestinationArn: task.destination.arn }),
    ...(task.rate === undefined ? {} : { MaxNumberOfMessagesPerSecond: task.rate }),
    ApproximateNumberOfMessagesMoved: task.moved,
    ApproximateNumberOfMessagesToMove: task.toMove,
    ...(task.failureReason === undefined ? {} : { FailureReason: task.failureReason }),
    StartedTimestamp: task.startedAt,
  };
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function inRange(name: string, value: unknown, minimum: number, maximum: number): number {
  if (!Number.isInteger(value) || Number(value) < minimum || Number(value) > maximum)
    throw invalidValue(
      `Value ${String(value)} for parameter ${name} is invalid. Reason: Must be >= ${minimum} and <= ${maximum}, if provided.`,
    );
  return Number(value);
}

function expiredHandle(handle: unknown): SqsError {
  return invalidValue(
    `Value ${String(handle)} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`,
  );
}
