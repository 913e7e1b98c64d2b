import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';
import { SnsError } from './sns-error';
import type { Topics } from './topics';

type Json = Readonly<Record<string, unknown>>;

const TOPIC_ATTRIBUTES = ['KmsMasterKeyId', 'FifoTopic', 'ContentBasedDeduplication', 'DisplayName'];
const SUBSCRIPTION_ATTRIBUTES = ['RawMessageDelivery', 'FilterPolicy', 'FilterPolicyScope', 'RedrivePolicy'];

export function snsProviders(topics: Topics): ResourceProvider[] {
  const subscribe = (topicArn: unknown, given: Json): string => {
    const topic = topics.all.get(String(topicArn));
    if (topic === undefined) throw new ResourceError('TopicArn', `there is no topic ${String(topicArn)}`);
    const attributes = textsOf(given, SUBSCRIPTION_ATTRIBUTES);
    return refusing('Protocol', () =>
      topics.subscribe(topic, String(given['Protocol']), String(given['Endpoint'] ?? ''), attributes),
    ).arn;
  };
  return [
    {
      type: 'AWS::SNS::Topic',
      emulated: ['TopicName', 'Subscription', 'Tags', ...TOPIC_ATTRIBUTES],
      ignored: {
        TracingConfig: 'there is no X-Ray here',
        SignatureVersion: 'messages are not signed here',
        DeliveryStatusLogging: 'deliveries are events of the engine',
        DataProtectionPolicy: 'nothing is masked here',
        ArchivePolicy: 'topics keep no archive here',
        FifoThroughputScope: 'nothing is throttled here',
      },
      create: ({ properties, generatedName }) => {
        const attributes = textsOf(properties, TOPIC_ATTRIBUTES);
        const fifo = attributes['FifoTopic'] === 'true';
        const name = String(properties['TopicName'] ?? `${generatedName}${fifo ? '.fifo' : ''}`);
        const topic = refusing('TopicName', () => topics.create(name, attributes));
        for (const { Key, Value } of (properties['Tags'] ?? []) as { Key: string; Value: string }[])
          topic.tags.set(Key, Value);
        for (const subscription of (properties['Subscription'] ?? []) as Json[])
          subscribe(topic.arn, subscription);
        return { ref: topic.arn, attributes: { TopicArn: topic.arn, TopicName: name } };
      },
    },
    {
      type: 'AWS::SNS::Subscription',
      emulated: ['TopicArn', 'Protocol', 'Endpoint', ...SUBSCRIPTION_ATTRIBUTES],
      ignored: {
        DeliveryPolicy: 'deliveries are not retried here',
        Region: 'one region is emulated',
        ReplayPolicy: 'topics keep no archive here',
        SubscriptionRoleArn: 'there is no Firehose here',
      },
      create: ({ properties }) => {
        const arn = subscribe(properties['TopicArn'], properties);
        return { ref: arn, attributes: { Arn: arn } };
      },
    },
    {
      type: 'AWS::SNS::TopicPolicy',
      emulated: [],
      ignored: {
        PolicyDocument: 'services and roles of the account may publish as their own policies say',
        Topics: 'services and roles of the account may publish as their own policies say',
      },
      create: ({ logicalId }) => ({ ref: logicalId, attributes: { Id: logicalId } }),
    },
  ];
}

/** The API takes every attribute as text. */
function textsOf(given: Json, names: readonly string[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const value = given[name];
    if (value !== undefined) texts[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return texts;
}

function refusing<T>(property: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof SnsError)
      throw new ResourceError(/FilterPolicy/.exec(error.message)?.[0] ?? property, error.message);
    throw error;
  }
}
