import type { Environment } from '../gateway/service';
import { Queue, type QueueChange, type QueueContext } from './queue';
import {
  checkedAttributes,
  defaultAttributes,
  type QueueAttributes,
  redriveAllowPolicyOf,
  redrivePolicyOf,
} from './queue-settings';
import { invalidValue, noSuchQueue, SqsError } from './sqs-error';

const RECREATE_AFTER_MS = 60_000;

/** What a journal wants to know. */
export interface QueueListener {
  created(queue: Queue): void;
  deleted(queue: Queue): void;
  configured(queue: Queue): void;
  changed(queue: Queue, change: QueueChange): void;
}

/** The queues of the account and region, by name. */
export class QueueRegistry implements QueueContext {
  readonly clock;
  listener: QueueListener | undefined;
  private readonly queues = new Map<string, Queue>();
  private readonly deletedAt = new Map<string, number>();

  constructor(private readonly environment: Environment) {
    this.clock = environment.clock;
  }

  all(): IterableIterator<Queue> {
    return this.queues.values();
  }

  find(name: string): Queue | undefined {
    return this.queues.get(name);
  }

  byArn(arn: string): Queue | undefined {
    const queue = this.queues.get(arn.slice(arn.lastIndexOf(':') + 1));
    return queue?.arn === arn ? queue : undefined;
  }

  /** By the last part of the URL, so that any host name that leads here will do. */
  byUrl(url: unknown): Queue {
    if (typeof url !== 'string' || url === '')
      throw new SqsError('MissingParameter', 'The request must contain the parameter QueueUrl.');
    const queue = this.queues.get(url.slice(url.lastIndexOf('/') + 1));
    if (queue === undefined) throw noSuchQueue();
    return queue;
  }

  urlOf(queue: Queue): string {
    return `${this.environment.endpoint()}/${this.environment.account}/${queue.name}`;
  }

  arnOf(name: string): string {
    return `arn:aws:sqs:${this.environment.region}:${this.environment.account}:${name}`;
  }

  /** Answers the existing queue when name and attributes are the same. */
  create(name: unknown, given: unknown, tags: Record<string, string> = {}): Queue {
    if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,80}$|^[A-Za-z0-9_-]{1,75}\.fifo$/.test(name))
      throw invalidValue(
        'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
      );
    const wanted = (given ?? {}) as Record<string, unknown>;
    const fifo = String(wanted['FifoQueue']) === 'true';
    if (fifo !== name.endsWith('.fifo'))
      throw invalidValue(
        'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.',
      );
    const attributes = checkedAttributes(given, fifo);
    if (!fifo && wanted['FifoQueue'] !== undefined)
      throw new SqsError('InvalidAttributeName', 'Unknown Attribute FifoQueue.');
    const existing = this.queues.get(name);
    if (existing !== undefined) {
      const differs = Object.entries(attributes).find(([key, value]) => existing.attributes[key] !== value);
      if (differs !== undefined)
        throw new SqsError(
          'QueueNameExists',
          `A queue already exists with the same name and a different value for attribute ${differs[0]}`,
        );
      return existing;
    }
    const deletedAt = this.deletedAt.get(name);
    if (deletedAt !== undefined && this.clock.now() < deletedAt + RECREATE_AFTER_MS)
      throw new SqsError(
        'QueueDeletedRecently',
        'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
      );
    this.checkRedrive(this.arnOf(name), fifo, attributes);
    const queue = this.restore(name, fifo, {
      ...defaultAttributes(),
      ...(attributes['KmsMasterKeyId'] ? {} : { SqsManagedSseEnabled: 'true' }),
      ...(fifo
        ? { DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue', ContentBasedDeduplication: 'false' }
        : {}),
      ...attributes,
    });
    queue.tags = { ...tags };
    this.listener?.created(queue);
    return queue;
  }

  /** A queue as it was, from the journal. */
  restore(name: string, fifo: boolean, attributes: QueueAttributes): Queue {
    const queue = new Queue(name, this.arnOf(name), fifo, attributes, this);
    this.queues.set(name, queue);
    return queue;
  }

  configure(queue: Queue, given: unknown): void {
    const changed = checkedAttributes(given, queue.fifo);
    if (changed['FifoQueue'] !== undefined && changed['FifoQueue'] !== String(queue.fifo))
      throw new SqsError('InvalidAttributeName', 'Unknown Attribute FifoQueue.');
    this.checkRedrive(queue.arn, queue.fifo, changed);
    const attributes = Object.fromEntries(
      Object.entries({ ...queue.attributes, ...changed }).filter(([, value]) => value !== ''),
    );
    queue.setAttributes(attributes);
    this.listener?.configured(queue);
  }

  delete(queue: Queue): void {
    queue.close();
    this.queues.delete(queue.name);
    this.deletedAt.set(queue.name, this.clock.now());
    this.listener?.deleted(queue);
  }

  sourcesOf(deadLetterQueue: Queue): Queue[] {
    return [...this.queues.values()].filter(
      ({ redrivePolicy }) => redrivePolicy?.deadLetterTargetArn === deadLetterQueue.arn,
    );
  }

  deadLetterQueue(arn: string, source: Queue): Queue | undefined {
    const target = this.byArn(arn);
    return target !== undefined && target.fifo === source.fifo && allows(target, source.arn)
      ? target
      : undefined;
  }

  record(queue: Queue, change: QueueChange): void {
    this.listener?.changed(queue, change);
  }

  emit(type: string, detail: Readonly<Record<string, unknown>>): void {
    this.environment.emit({ type, at: this.clock.now(), detail });
  }

  /** Of a redrive policy, when it is set: the target exists, is of the same type, and lets this source in. */
  private checkRedrive(arn: string, fifo: boolean, attributes: Readonly<Record<string, string>>): void {
    const text = attributes['RedrivePolicy'];
    const policy = redrivePolicyOf(text);
    if (policy === undefined) return;
    const refuse = (reason: string): SqsError =>
      invalidValue(`Value ${text} for parameter RedrivePolicy is invalid. Reason: ${reason}`);
    const target = this.byArn(policy.deadLetterTargetArn);
    if (target === undefined) throw refuse('Dead letter target does not exist.');
    if (target.arn === arn) throw refuse('A queue cannot be its own dead letter target.');
    if (target.fifo !== fifo) throw refuse('Dead-letter queue must be same type of queue as the source.');
    if (!allows(target, arn)) throw refuse('Dead-letter queue does not allow this source queue.');
  }
}

function allows(target: Queue, sourceArn: string): boolean {
  const policy = redriveAllowPolicyOf(target.attributes['RedriveAllowPolicy']);
  if (policy === undefined || policy.redrivePermission === 'allowAll') return true;
  return policy.redrivePermission === 'byQueue' && (policy.sourceQueueArns ?? []).includes(sourceArn);
}
