import type { FunctionInvoker, QueueMessageAttribute, QueueSender } from '../gateway/ports';
import type { Environment } from '../gateway/service';
import type { Notification, Subscription } from './topics';

/** What would have gone to people or other machines: e-mail, text messages, web hooks. */
export interface InboxEntry {
  readonly at: number;
  /** Absent for a text message that was sent to a number. */
  readonly topicArn?: string;
  readonly protocol: string;
  readonly endpoint: string;
  readonly subject?: string;
  readonly body: string;
}

export interface DeliveryTargets {
  readonly queues: QueueSender;
  readonly functions: FunctionInvoker;
}

/** https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html */
const RAW_ATTRIBUTES = 10;

/** Brings one message to one subscriber. */
export class Delivery {
  readonly inbox: InboxEntry[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly targets: DeliveryTargets,
  ) {}

  deliver(subscription: Subscription, given: Notification, messageId: string): void {
    const body = given.bodies?.[subscription.protocol] ?? given.body;
    const notification = { ...given, body };
    const { protocol, endpoint, topicArn } = subscription;
    const { subject } = notification;
    if (protocol === 'lambda') this.toFunction(subscription, notification, messageId);
    else if (protocol !== 'sqs')
      this.toInbox({ topicArn, protocol, endpoint, body, ...(subject === undefined ? {} : { subject }) });
    else
      try {
        this.toQueue(subscription, notification, messageId);
      } catch (error) {
        this.undelivered(subscription, notification, messageId, error);
      }
  }

  toInbox(entry: Omit<InboxEntry, 'at'>): void {
    this.inbox.push({ at: this.environment.clock.now(), ...entry });
    this.emit('sns.inbox', { ...entry });
  }

  private toQueue(subscription: Subscription, notification: Notification, messageId: string): void {
    const raw = isRaw(subscription);
    const { attributes = {}, groupId, deduplicationId } = notification;
    if (raw && Object.keys(attributes).length > RAW_ATTRIBUTES)
      throw new Error(`raw delivery takes ${RAW_ATTRIBUTES} message attributes`);
    this.targets.queues.send(subscription.endpoint, {
      body: raw ? notification.body : JSON.stringify(this.envelope(subscription, notification, messageId)),
      ...(raw ? { messageAttributes: attributes } : {}),
      ...(groupId === undefined ? {} : { groupId }),
      ...(deduplicationId === undefined ? {} : { deduplicationId }),
    });
  }

  /** https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html */
  private toFunction(subscription: Subscription, notification: Notification, messageId: string): void {
    const record = {
      EventSource: 'aws:sns',
      EventVersion: '1.0',
      EventSubscriptionArn: subscription.arn,
      Sns: { Subject: null, MessageAttributes: {}, ...this.envelope(subscription, notification, messageId) },
    };
    const release = this.environment.clock.hold();
    this.targets.functions
      .invoke(subscription.endpoint, JSON.stringify({ Records: [record] }))
      .catch((error) => this.undelivered(subscription, notification, messageId, error))
      .finally(release);
  }

  /**
   * To the dead-letter queue of the subscription, if it has one. AWS tries again for hours first when the error may
   * pass; here the first failure is the last.
   * https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
   */
  private undelivered(
    subscription: Subscription,
    notification: Notification,
    messageId: string,
    error: unknown,
  ): void {
    const { topicArn, protocol, endpoint } = subscription;
    const deadLetters = deadLettersOf(subscription);
    const detail = { topicArn, protocol, endpoint, reason: String(error) };
    this.emit('sns.undelivered', { ...detail, ...(deadLetters === undefined ? {} : { deadLetters }) });
    if (deadLetters === undefined) return;
    try {
      this.toQueue({ ...subscription, endpoint: deadLetters }, notification, messageId);
    } catch (lost) {
      this.emit('sns.lost', { topicArn, endpoint: deadLetters, reason: String(lost) });
    }
  }

  /** https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
  private envelope(
    { topicArn }: Subscription,
    { body, subject, attributes }: Notification,
    messageId: string,
  ): object {
    const entries = Object.entries(attributes ?? {});
    return {
      Type: 'Notification',
      MessageId: messageId,
      TopicArn: topicArn,
      ...(subject === undefined ? {} : { Subject: subject }),
      Message: body,
      Timestamp: new Date(this.environment.clock.now()).toISOString(),
      ...(entries.length === 0 ? {} : { MessageAttributes: Object.fromEntries(entries.map(onTheWire)) }),
    };
  }

  private emit(type: string, detail: Readonly<Record<string, unknown>>): void {
    this.environment.emit({ type, at: this.environment.clock.now(), detail });
  }
}

function isRaw({ attributes }: Subscription): boolean {
  return attributes['RawMessageDelivery'] === 'true';
}

function deadLettersOf({ attributes }: Subscription): string | undefined {
  const policy = attributes['RedrivePolicy'];
  return policy ? (JSON.parse(policy) as { deadLetterTargetArn?: string }).deadLetterTargetArn : undefined;
}

function onTheWire([name, attribute]: [string, QueueMessageAttribute]): [string, object] {
  const { dataType, stringValue, binaryValue } = attribute;
  return [name, { Type: dataType, Value: stringValue ?? binaryValue?.toString('base64') ?? '' }];
}
