import type { ResourceProvider } from '../cloudformation/resource-provider';
import { ResourceError } from '../cloudformation/resource-provider';
import { answerWithError } from '../gateway/aws-error';
import type { FunctionInvoker, QueueMessageAttribute, QueueSender, TopicPublisher } from '../gateway/ports';
import { answerQuery, members, queryParameters } from '../gateway/query-protocol';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { type InboxEntry, type Notification, type Subscription, type Topic, Topics } from './topics';

export interface SnsOptions {
  readonly queues: QueueSender;
  readonly functions: FunctionInvoker;
}

class SnsError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

type Action = (given: URLSearchParams) => object;

const MAXIMUM_BYTES = 262_144;
/** The key that AWS manages lets nobody else in, CloudWatch neither (field rule F34). */
const MANAGED_KEY = 'alias/aws/sns';

/** SNS: topics to queues, functions and an inbox for what would reach people. */
export class SnsService implements LocalService, TopicPublisher {
  readonly signingName = 'sns';
  readonly providers: readonly ResourceProvider[];
  private readonly topics: Topics;
  private readonly actions: Readonly<Record<string, Action>> = {
    CreateTopic: (given) => ({
      TopicArn: this.topics.create(given.get('Name') ?? '', entries(given, 'Attributes')).arn,
    }),
    DeleteTopic: (given) => {
      this.topics.all.delete(given.get('TopicArn') ?? '');
      return {};
    },
    ListTopics: () => ({ Topics: [...this.topics.all.values()].map(({ arn }) => ({ TopicArn: arn })) }),
    GetTopicAttributes: (given) => {
      const { arn, attributes } = this.topic(given.get('TopicArn'));
      return { Attributes: new Map(Object.entries({ TopicArn: arn, ...attributes })) };
    },
    SetTopicAttributes: (given) => {
      const topic = this.topic(given.get('TopicArn'));
      topic.attributes = {
        ...topic.attributes,
        [given.get('AttributeName') ?? '']: given.get('AttributeValue') ?? '',
      };
      return {};
    },
    Subscribe: (given) => {
      const topic = this.topic(given.get('TopicArn'));
      const { arn } = this.topics.subscribe(
        topic,
        given.get('Protocol') ?? '',
        given.get('Endpoint') ?? '',
        entries(given, 'Attributes'),
      );
      return { SubscriptionArn: arn };
    },
    Unsubscribe: (given) => {
      for (const { subscriptions } of this.topics.all.values()) {
        const index = subscriptions.findIndex(({ arn }) => arn === given.get('SubscriptionArn'));
        if (index >= 0) subscriptions.splice(index, 1);
      }
      return {};
    },
    ListSubscriptions: () => ({
      Subscriptions: [...this.topics.all.values()].flatMap(({ subscriptions }) => subscriptions.map(listed)),
    }),
    ListSubscriptionsByTopic: (given) => ({
      Subscriptions: this.topic(given.get('TopicArn')).subscriptions.map(listed),
    }),
    Publish: (given) => this.publishFrom(given),
  };

  constructor(
    private readonly environment: Environment,
    options: SnsOptions,
  ) {
    this.topics = new Topics(environment, options);
    this.providers = this.resourceProviders();
  }

  /** What would have reached people, oldest first. */
  inbox(): readonly InboxEntry[] {
    return this.topics.inbox;
  }

  /** By another service of AWS. */
  publish(topicArn: string, { subject, body }: { readonly subject?: string; readonly body: string }): void {
    const topic = this.topics.all.get(topicArn);
    const reason =
      topic === undefined
        ? 'there is no such topic'
        : topic.attributes['KmsMasterKeyId'] === MANAGED_KEY
          ? `CloudWatch may not use the key ${MANAGED_KEY}`
          : undefined;
    if (topic !== undefined && reason === undefined)
      this.topics.publish(topic, { body, ...(subject === undefined ? {} : { subject }) });
    else
      this.environment.emit({
        type: 'sns.dropped',
        at: this.environment.clock.now(),
        detail: { topicArn, reason },
      });
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const given = await queryParameters(request);
    const operation = given.get('Action') ?? '';
    try {
      const action = this.actions[operation];
      if (action === undefined)
        throw new SnsError(
          'InvalidAction',
          `The local engine does not emulate the SNS operation '${operation}'.`,
        );
      const resource = given.get('TopicArn') ?? given.get('SubscriptionArn') ?? '*';
      const refusal = this.environment.authorize({ identity, action: `sns:${operation}`, resource });
      if (refusal !== undefined) throw new SnsError('AuthorizationError', refusal, 403);
      answerQuery(response, operation, action(given));
    } catch (error) {
      if (!(error instanceof SnsError)) throw error;
      answerWithError(request, response, error, 'sns');
    }
  }

  private publishFrom(given: URLSearchParams): object {
    const topic = this.topic(given.get('TopicArn') ?? given.get('TargetArn'));
    const body = given.get('Message') ?? '';
    if (body === '') throw new SnsError('InvalidParameter', 'Invalid parameter: Empty message');
    if (Buffer.byteLength(body) > MAXIMUM_BYTES)
      throw new SnsError('InvalidParameter', 'Invalid parameter: Message too long');
    const subject = given.get('Subject');
    const groupId = given.get('MessageGroupId');
    if (topic.fifo && groupId === null)
      throw new SnsError(
        'InvalidParameter',
        'Invalid parameter: The MessageGroupId parameter is required for FIFO topics',
      );
    const deduplicationId = given.get('MessageDeduplicationId');
    const notification: Notification = {
      body,
      attributes: messageAttributes(given),
      ...(subject === null ? {} : { subject }),
      ...(groupId === null ? {} : { groupId }),
      ...(deduplicationId === null ? {} : { deduplicationId }),
    };
    return { MessageId: this.topics.publish(topic, notification) };
  }

  private topic(arn: string | null): Topic {
    const topic = this.topics.all.get(arn ?? '');
    if (topic === undefined) throw new SnsError('NotFound', 'Topic does not exist', 404);
    return topic;
  }

  private resourceProviders(): ResourceProvider[] {
    const ignored = {
      DisplayName: 'a text for people',
      TracingConfig: 'there is no X-Ray here',
      SignatureVersion: 'messages are not signed here',
      DeliveryStatusLogging: 'deliveries are events of the engine',
      DataProtectionPolicy: 'nothing is masked here',
      ArchivePolicy: 'topics keep no archive here',
      FifoThroughputScope: 'nothing is throttled here',
      Tags: 'tags of topics are not looked at',
    };
    return [
      {
        type: 'AWS::SNS::Topic',
        emulated: ['TopicName', 'KmsMasterKeyId', 'FifoTopic', 'ContentBasedDeduplication', 'Subscription'],
        ignored,
        create: ({ properties, generatedName }) => {
          const fifo = String(properties['FifoTopic'] ?? false) === 'true';
          const name = String(properties['TopicName'] ?? `${generatedName}${fifo ? '.fifo' : ''}`);
          const key = properties['KmsMasterKeyId'];
          const topic = this.topics.create(name, key === undefined ? {} : { KmsMasterKeyId: String(key) });
          for (const { Protocol, Endpoint } of (properties['Subscription'] ?? []) as {
            Protocol: string;
            Endpoint: string;
          }[])
            this.topics.subscribe(topic, Protocol, Endpoint);
          return { ref: topic.arn, attributes: { TopicArn: topic.arn, TopicName: name } };
        },
      },
      {
        type: 'AWS::SNS::Subscription',
        emulated: [
          'TopicArn',
          'Protocol',
          'Endpoint',
          'RawMessageDelivery',
          'FilterPolicy',
          'FilterPolicyScope',
        ],
        ignored: {
          RedrivePolicy: 'an undelivered message is an event of the engine',
          DeliveryPolicy: 'deliveries are not retried here',
          Region: 'one region is emulated',
        },
        create: ({ properties }) => {
          const topic = this.topics.all.get(String(properties['TopicArn']));
          if (topic === undefined) throw new ResourceError('TopicArn', 'there is no such topic');
          const text = (name: string): Record<string, string> => {
            const value = properties[name];
            return value === undefined
              ? {}
              : { [name]: typeof value === 'object' ? JSON.stringify(value) : String(value) };
          };
          const { arn } = this.topics.subscribe(
            topic,
            String(properties['Protocol']),
            String(properties['Endpoint']),
            {
              ...text('RawMessageDelivery'),
              ...text('FilterPolicy'),
              ...text('FilterPolicyScope'),
            },
          );
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
}

export function createSns(environment: Environment, options: SnsOptions): SnsService {
  return new SnsService(environment, options);
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

function entries(given: URLSearchParams, prefix: string): Record<string, string> {
  return Object.fromEntries(
    members(given, prefix).map((fields) => [fields.get('key') ?? '', fields.get('value') ?? '']),
  );
}

function messageAttributes(given: URLSearchParams): Record<string, QueueMessageAttribute> {
  return Object.fromEntries(
    members(given, 'MessageAttributes').map((fields) => {
      const binary = fields.get('Value.BinaryValue');
      return [
        fields.get('Name') ?? '',
        {
          dataType: fields.get('Value.DataType') ?? 'String',
          ...(binary === undefined
            ? { stringValue: fields.get('Value.StringValue') ?? '' }
            : { binaryValue: Buffer.from(binary, 'base64') }),
        },
      ];
    }),
  );
}
