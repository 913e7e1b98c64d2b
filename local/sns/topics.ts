import { randomUUID } from 'node:crypto';
import { matches, type Pattern } from '../gateway/event-pattern';
import type { FunctionInvoker, QueueMessageAttribute, QueueSender } from '../gateway/ports';
import type { Environment } from '../gateway/service';

export interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  readonly protocol: string;
  readonly endpoint: string;
  attributes: Readonly<Record<string, string>>;
}

export interface Topic {
  readonly arn: string;
  readonly fifo: boolean;
  attributes: Readonly<Record<string, string>>;
  readonly subscriptions: Subscription[];
}

export interface Notification {
  readonly body: string;
  readonly subject?: string;
  readonly attributes?: Readonly<Record<string, QueueMessageAttribute>>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** What would have gone to people: e-mail, text messages, web hooks. */
export interface InboxEntry {
  readonly at: number;
  readonly topicArn: string;
  readonly protocol: string;
  readonly endpoint: string;
  readonly subject?: string;
  readonly body: string;
}

const RAW_ATTRIBUTES = 10;

/** Topics and what they deliver. */
export class Topics {
  readonly all = new Map<string, Topic>();
  readonly inbox: InboxEntry[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly targets: { readonly queues: QueueSender; readonly functions: FunctionInvoker },
  ) {}

  create(name: string, attributes: Readonly<Record<string, string>> = {}): Topic {
    const { region, account } = this.environment;
    const arn = `arn:aws:sns:${region}:${account}:${name}`;
    const known = this.all.get(arn);
    if (known !== undefined) return known;
    const topic: Topic = { arn, fifo: name.endsWith('.fifo'), attributes, subscriptions: [] };
    this.all.set(arn, topic);
    return topic;
  }

  subscribe(
    topic: Topic,
    protocol: string,
    endpoint: string,
    attributes: Readonly<Record<string, string>> = {},
  ): Subscription {
    const known = topic.subscriptions.find((one) => one.protocol === protocol && one.endpoint === endpoint);
    if (known !== undefined) {
      known.attributes = { ...known.attributes, ...attributes };
      return known;
    }
    const subscription: Subscription = {
      arn: `${topic.arn}:${randomUUID()}`,
      topicArn: topic.arn,
      protocol,
      endpoint,
      attributes,
    };
    topic.subscriptions.push(subscription);
    return subscription;
  }

  publish(topic: Topic, notification: Notification): string {
    const messageId = randomUUID();
    this.emit('sns.published', {
      topicArn: topic.arn,
      subject: notification.subject,
      body: notification.body,
    });
    for (const subscription of topic.subscriptions)
      if (passes(subscription, notification)) this.deliver(subscription, notification, messageId);
    return messageId;
  }

  private deliver(subscription: Subscription, notification: Notification, messageId: string): void {
    const { protocol, endpoint, topicArn, attributes } = subscription;
    try {
      if (protocol === 'sqs') this.toQueue(subscription, notification, messageId);
      else if (protocol === 'lambda')
        this.targets.functions
          .invoke(endpoint, JSON.stringify(this.lambdaEvent(subscription, notification, messageId)))
          .catch((error) => this.emit('sns.undelivered', { topicArn, endpoint, reason: String(error) }));
      else
        this.inbox.push({
          at: this.environment.clock.now(),
          topicArn,
          protocol,
          endpoint,
          body: notification.body,
          ...(notification.subject === undefined ? {} : { subject: notification.subject }),
        });
    } catch (error) {
      this.emit('sns.undelivered', {
        topicArn,
        endpoint,
        raw: attributes['RawMessageDelivery'],
        reason: String(error),
      });
    }
  }

  private toQueue(subscription: Subscription, notification: Notification, messageId: string): void {
    const raw = subscription.attributes['RawMessageDelivery'] === 'true';
    const given = notification.attributes ?? {};
    if (raw && Object.keys(given).length > RAW_ATTRIBUTES)
      throw new Error(`raw delivery takes ${RAW_ATTRIBUTES} message attributes`);
    this.targets.queues.send(subscription.endpoint, {
      body: raw ? notification.body : JSON.stringify(this.envelope(subscription, notification, messageId)),
      ...(raw ? { messageAttributes: given } : {}),
      ...(notification.groupId === undefined ? {} : { groupId: notification.groupId }),
      ...(notification.deduplicationId === undefined
        ? {}
        : { deduplicationId: notification.deduplicationId }),
    });
  }

  /** https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
  private envelope(
    { topicArn }: Subscription,
    { body, subject, attributes }: Notification,
    messageId: string,
  ): object {
    const names = Object.entries(attributes ?? {});
    return {
      Type: 'Notification',
      MessageId: messageId,
      TopicArn: topicArn,
      ...(subject === undefined ? {} : { Subject: subject }),
      Message: body,
      Timestamp: new Date(this.environment.clock.now()).toISOString(),
      ...(names.length === 0 ? {} : { MessageAttributes: attributesOnTheWire(names) }),
    };
  }

  private lambdaEvent(subscription: Subscription, notification: Notification, messageId: string): object {
    return {
      Records: [
        {
          EventSource: 'aws:sns',
          EventVersion: '1.0',
          EventSubscriptionArn: subscription.arn,
          Sns: this.envelope(subscription, notification, messageId),
        },
      ],
    };
  }

  private emit(type: string, detail: Readonly<Record<string, unknown>>): void {
    this.environment.emit({ type, at: this.environment.clock.now(), detail });
  }
}

function attributesOnTheWire(names: [string, QueueMessageAttribute][]): object {
  return Object.fromEntries(
    names.map(([name, { dataType, stringValue, binaryValue }]) => [
      name,
      { Type: dataType, Value: stringValue ?? binaryValue?.toString('base64') ?? '' },
    ]),
  );
}

/** https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html */
function passes({ attributes }: Subscription, { body, attributes: given }: Notification): boolean {
  const policy = attributes['FilterPolicy'];
  if (!policy) return true;
  const pattern = JSON.parse(policy) as Pattern;
  if (attributes['FilterPolicyScope'] === 'MessageBody') {
    try {
      return matches(pattern, JSON.parse(body));
    } catch {
      return false;
    }
  }
  const values = Object.fromEntries(
    Object.entries(given ?? {}).map(([name, { dataType, stringValue = '' }]) => [
      name,
      dataType.startsWith('Number')
        ? Number(stringValue)
        : dataType === 'String.Array'
          ? JSON.parse(stringValue)
          : stringValue,
    ]),
  );
  return matches(pattern, values);
}
