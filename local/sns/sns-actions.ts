import { randomUUID } from 'node:crypto';
import { members } from '../gateway/query-protocol';
import type { Delivery } from './delivery';
import { parseFilterPolicy } from './filter-policy';
import { batchFits, notificationOf } from './publishing';
import { invalid, SnsError } from './sns-error';
import type { Subscription, Topic, Topics } from './topics';

type Given = URLSearchParams;

const BATCH = 10;

/** https://docs.aws.amazon.com/sns/latest/api/API_Operations.html, without platform applications and SMS settings */
export class SnsActions {
  constructor(
    private readonly topics: Topics,
    private readonly delivery: Delivery,
  ) {}

  CreateTopic(given: Given): object {
    const topic = this.topics.create(given.get('Name') ?? '', entries(given, 'Attributes'));
    tag(topic, given);
    return { TopicArn: topic.arn };
  }

  DeleteTopic(given: Given): object {
    this.topics.all.delete(given.get('TopicArn') ?? '');
    return {};
  }

  ListTopics(): object {
    return { Topics: [...this.topics.all.keys()].map((TopicArn) => ({ TopicArn })) };
  }

  GetTopicAttributes(given: Given): object {
    const { arn, attributes, subscriptions } = this.topic(given);
    const all = { TopicArn: arn, SubscriptionsConfirmed: String(subscriptions.length), ...attributes };
    return { Attributes: new Map(Object.entries(all)) };
  }

  SetTopicAttributes(given: Given): object {
    const topic = this.topic(given);
    topic.attributes = { ...topic.attributes, ...attributeOf(given) };
    return {};
  }

  Subscribe(given: Given): object {
    const [protocol, endpoint] = [given.get('Protocol') ?? '', given.get('Endpoint') ?? ''];
    const attributes = entries(given, 'Attributes');
    return {
      SubscriptionArn: this.topics.subscribe(this.topic(given), protocol, endpoint, attributes).arn,
    };
  }

  Unsubscribe(given: Given): object {
    this.topics.unsubscribe(given.get('SubscriptionArn') ?? '');
    return {};
  }

  ListSubscriptions(): object {
    return { Subscriptions: this.topics.subscriptions().map(listed) };
  }

  ListSubscriptionsByTopic(given: Given): object {
    return { Subscriptions: this.topic(given).subscriptions.map(listed) };
  }

  GetSubscriptionAttributes(given: Given): object {
    const subscription = this.subscription(given);
    const all = { ...listed(subscription), ...subscription.attributes };
    return { Attributes: new Map(Object.entries(all)) };
  }

  SetSubscriptionAttributes(given: Given): object {
    const subscription = this.subscription(given);
    const attributes = { ...subscription.attributes, ...attributeOf(given) };
    subscription.filter = parseFilterPolicy(attributes['FilterPolicy']);
    subscription.attributes = attributes;
    return {};
  }

  Publish(given: Given): object {
    const phone = given.get('PhoneNumber');
    const notification = notificationOf(given);
    if (phone === null) return this.published(this.topic(given), notification);
    this.delivery.toInbox({ protocol: 'sms', endpoint: phone, body: notification.body });
    return { MessageId: randomUUID() };
  }

  PublishBatch(given: Given): object {
    const topic = this.topic(given);
    const asked = members(given, 'PublishBatchRequestEntries').map(
      (fields) => new URLSearchParams([...fields]),
    );
    if (asked.length === 0)
      throw new SnsError('EmptyBatchRequest', "The batch request doesn't contain any entries.");
    if (asked.length > BATCH)
      throw new SnsError(
        'TooManyEntriesInBatchRequest',
        `The batch request contains more than ${BATCH} entries.`,
      );
    const ids = asked.map((entry) => entry.get('Id') ?? '');
    if (new Set(ids).size < ids.length)
      throw new SnsError('BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.');
    const Successful: object[] = [];
    const Failed: object[] = [];
    const read = asked.flatMap((entry, index) => {
      try {
        return [{ Id: ids[index], notification: notificationOf(entry) }];
      } catch (error) {
        Failed.push(failure(ids[index], error));
        return [];
      }
    });
    if (!batchFits(read.map(({ notification }) => notification)))
      throw new SnsError(
        'BatchRequestTooLong',
        'The length of all the batch messages is more than 262144 bytes.',
      );
    for (const { Id, notification } of read)
      try {
        Successful.push({ Id, ...this.published(topic, notification) });
      } catch (error) {
        Failed.push(failure(Id, error));
      }
    return { Successful, Failed };
  }

  TagResource(given: Given): object {
    tag(this.topic(given), given);
    return {};
  }

  UntagResource(given: Given): object {
    const { tags } = this.topic(given);
    for (const fields of members(given, 'TagKeys')) tags.delete(fields.get('') ?? '');
    return {};
  }

  ListTagsForResource(given: Given): object {
    return { Tags: [...this.topic(given).tags].map(([Key, Value]) => ({ Key, Value })) };
  }

  private published(topic: Topic, notification: ReturnType<typeof notificationOf>): object {
    const messageId = this.topics.publish(topic, notification);
    return { MessageId: messageId };
  }

  private topic(given: Given): Topic {
    const arn = given.get('TopicArn') ?? given.get('TargetArn') ?? given.get('ResourceArn') ?? '';
    const topic = this.topics.all.get(arn);
    if (topic === undefined) throw new SnsError('NotFound', 'Topic does not exist', 404);
    return topic;
  }

  private subscription(given: Given): Subscription {
    const subscription = this.topics.subscription(given.get('SubscriptionArn') ?? '');
    if (subscription === undefined) throw new SnsError('NotFound', 'Subscription does not exist', 404);
    return subscription;
  }
}

function failure(Id: string | undefined, error: unknown): object {
  if (!(error instanceof SnsError)) throw error;
  return { Id, Code: error.code, Message: error.message, SenderFault: true };
}

function attributeOf(given: Given): Record<string, string> {
  const name = given.get('AttributeName');
  if (name === null) throw invalid('AttributeName');
  return { [name]: given.get('AttributeValue') ?? '' };
}

function tag({ tags }: Topic, given: Given): void {
  for (const fields of members(given, 'Tags')) tags.set(fields.get('Key') ?? '', fields.get('Value') ?? '');
}

function listed({ arn, topicArn, protocol, endpoint }: Subscription): object {
  return {
    SubscriptionArn: arn,
    TopicArn: topicArn,
    Protocol: protocol,
    Endpoint: endpoint,
    Owner: topicArn.split(':')[4],
  };
}

function entries(given: Given, prefix: string): Record<string, string> {
  return Object.fromEntries(
    members(given, prefix).map((fields) => [fields.get('key') ?? '', fields.get('value') ?? '']),
  );
}
