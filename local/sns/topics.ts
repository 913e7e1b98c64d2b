import { createHash, randomUUID } from 'node:crypto';
import type { QueueMessageAttribute } from '../gateway/ports';
import type { Environment } from '../gateway/service';
import type { Delivery } from './delivery';
import { type FilterPolicy, parseFilterPolicy, passesFilter } from './filter-policy';
import { invalid } from './sns-error';

type Texts = Readonly<Record<string, string>>;

export interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  readonly protocol: string;
  readonly endpoint: string;
  attributes: Texts;
  filter: FilterPolicy | undefined;
}

export interface Topic {
  readonly arn: string;
  readonly fifo: boolean;
  attributes: Texts;
  readonly tags: Map<string, string>;
  readonly subscriptions: Subscription[];
  /** Message ids by deduplication id, each with the time until which it counts. */
  readonly recent: Map<string, { readonly messageId: string; readonly until: number }>;
}

export interface Notification {
  readonly body: string;
  /** By protocol, with `MessageStructure: json`; the body is the default. */
  readonly bodies?: Texts;
  readonly subject?: string;
  readonly attributes?: Readonly<Record<string, QueueMessageAttribute>>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** https://docs.aws.amazon.com/sns/latest/dg/fifo-message-dedup.html */
const DEDUPLICATION_MS = 5 * 60_000;
const PROTOCOLS = ['sqs', 'lambda', 'email', 'email-json', 'http', 'https', 'sms'];

/** Topics, who subscribes to them, and which message goes to whom. */
export class Topics {
  readonly all = new Map<string, Topic>();

  constructor(
    private readonly environment: Environment,
    private readonly delivery: Delivery,
  ) {}

  arnOf(name: string): string {
    return `arn:aws:sns:${this.environment.region}:${this.environment.account}:${name}`;
  }

  create(name: string, attributes: Texts = {}): Topic {
    if (!/^[A-Za-z0-9_-]{1,256}(\.fifo)?$/.test(name)) throw invalid(`Topic Name '${name}'`);
    const fifo = name.endsWith('.fifo');
    if ((attributes['FifoTopic'] === 'true') !== fifo)
      throw invalid('Fifo topic names, and only they, must end with .fifo and need FifoTopic');
    const arn = this.arnOf(name);
    const known = this.all.get(arn);
    if (known !== undefined) return known;
    const topic: Topic = { arn, fifo, attributes, tags: new Map(), subscriptions: [], recent: new Map() };
    this.all.set(arn, topic);
    return topic;
  }

  subscribe(topic: Topic, protocol: string, endpoint: string, attributes: Texts = {}): Subscription {
    if (!PROTOCOLS.includes(protocol))
      throw invalid(`the protocol '${protocol}' is not emulated; ${PROTOCOLS.join(', ')} are`);
    if (endpoint === '') throw invalid('Endpoint');
    if (topic.fifo && protocol !== 'sqs') throw invalid('FIFO topics deliver to queues only');
    if (!topic.fifo && protocol === 'sqs' && endpoint.endsWith('.fifo'))
      throw invalid('FIFO SQS Queues can not be subscribed to standard SNS topics');
    const filter = parseFilterPolicy(attributes['FilterPolicy']);
    const known = topic.subscriptions.find((one) => one.protocol === protocol && one.endpoint === endpoint);
    if (known !== undefined) return known;
    const arn = `${topic.arn}:${randomUUID()}`;
    const subscription = { arn, topicArn: topic.arn, protocol, endpoint, attributes, filter };
    topic.subscriptions.push(subscription);
    return subscription;
  }

  subscription(arn: string): Subscription | undefined {
    return this.subscriptions().find((one) => one.arn === arn);
  }

  subscriptions(): Subscription[] {
    return [...this.all.values()].flatMap(({ subscriptions }) => subscriptions);
  }

  unsubscribe(arn: string): void {
    for (const { subscriptions } of this.all.values()) {
      const index = subscriptions.findIndex((one) => one.arn === arn);
      if (index >= 0) subscriptions.splice(index, 1);
    }
  }

  /** Answers the id of the message; of the first one, when it was published to a FIFO topic before. */
  publish(topic: Topic, given: Notification): string {
    const notification = topic.fifo ? { ...given, deduplicationId: deduplicationOf(topic, given) } : given;
    const messageId = randomUUID();
    const now = this.environment.clock.now();
    if (topic.fifo) {
      const id = notification.deduplicationId ?? '';
      const before = topic.recent.get(id);
      if (before !== undefined && before.until > now) return before.messageId;
      topic.recent.set(id, { messageId, until: now + DEDUPLICATION_MS });
      for (const [oldest, { until }] of topic.recent) {
        if (until > now) break;
        topic.recent.delete(oldest);
      }
    }
    const { subject, body, attributes = {} } = notification;
    this.environment.emit({ type: 'sns.published', at: now, detail: { topicArn: topic.arn, subject, body } });
    for (const subscription of topic.subscriptions)
      if (passesFilter(subscription.filter, subscription.attributes['FilterPolicyScope'], body, attributes))
        this.delivery.deliver(subscription, notification, messageId);
    return messageId;
  }
}

function deduplicationOf({ attributes }: Topic, { body, groupId, deduplicationId }: Notification): string {
  if (groupId === undefined) throw invalid('The MessageGroupId parameter is required for FIFO topics');
  if (deduplicationId !== undefined) return deduplicationId;
  if (attributes['ContentBasedDeduplication'] === 'true')
    return createHash('sha256').update(body).digest('hex');
  throw invalid(
    'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided',
  );
}
