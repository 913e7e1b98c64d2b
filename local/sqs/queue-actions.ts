import { sizeGauges } from './gauges';
import type { Queue } from './queue';
import type { QueueRegistry } from './queue-registry';
import { missingParameter, SqsError } from './sqs-error';

export type Parameters = Readonly<Record<string, unknown>>;
export type Answer = Record<string, unknown>;

const PURGE_EVERY_MS = 60_000;
const PAGE = 1_000;

export class QueueActions {
  constructor(private readonly queues: QueueRegistry) {}

  CreateQueue({ QueueName: name, Attributes: attributes, tags, Tags }: Parameters): Answer {
    if (name === undefined) throw missingParameter('QueueName');
    const queue = this.queues.create(name, attributes, (tags ?? Tags ?? {}) as Record<string, string>);
    return { QueueUrl: this.queues.urlOf(queue) };
  }

  DeleteQueue({ QueueUrl: url }: Parameters): Answer {
    this.queues.delete(this.queues.byUrl(url));
    return {};
  }

  GetQueueUrl({ QueueName: name }: Parameters): Answer {
    return { QueueUrl: this.queues.urlOf(this.queues.byUrl(name)) };
  }

  ListQueues({ QueueNamePrefix: prefix = '', MaxResults: maximum, NextToken: token }: Parameters): Answer {
    const urls = [...this.queues.all()]
      .filter(({ name }) => name.startsWith(String(prefix)))
      .map((queue) => this.queues.urlOf(queue));
    return this.page('QueueUrls', urls, maximum, token);
  }

  ListDeadLetterSourceQueues({ QueueUrl: url, MaxResults: maximum, NextToken: token }: Parameters): Answer {
    const sources = this.queues.sourcesOf(this.queues.byUrl(url)).map((queue) => this.queues.urlOf(queue));
    return { queueUrls: [], ...this.page('queueUrls', sources, maximum, token) };
  }

  GetQueueAttributes({ QueueUrl: url, AttributeNames: names = [] }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    const asked = names as readonly string[];
    const all = attributesOf(queue);
    const unknown = asked.find((name) => name !== 'All' && !KNOWN.has(name));
    if (unknown !== undefined) throw new SqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
    const found = Object.entries(all).filter(([name]) => asked.includes('All') || asked.includes(name));
    return found.length === 0 ? {} : { Attributes: Object.fromEntries(found) };
  }

  SetQueueAttributes({ QueueUrl: url, Attributes: attributes }: Parameters): Answer {
    if (attributes === undefined) throw missingParameter('Attributes');
    this.queues.configure(this.queues.byUrl(url), attributes);
    return {};
  }

  PurgeQueue({ QueueUrl: url }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    if (this.queues.clock.now() < queue.lastPurgedAt + PURGE_EVERY_MS)
      throw new SqsError(
        'PurgeQueueInProgress',
        `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`,
        403,
      );
    queue.purge();
    return {};
  }

  ListQueueTags({ QueueUrl: url }: Parameters): Answer {
    const { tags } = this.queues.byUrl(url);
    return Object.keys(tags).length === 0 ? {} : { Tags: tags };
  }

  TagQueue({ QueueUrl: url, Tags: tags }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    const merged = { ...queue.tags, ...(tags as Record<string, string>) };
    if (Object.keys(merged).length > 50)
      throw new SqsError('InvalidParameterValue', 'Number of tags exceeds the allowed maximum of 50.');
    queue.tags = merged;
    this.queues.listener?.configured(queue);
    return {};
  }

  UntagQueue({ QueueUrl: url, TagKeys: keys = [] }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    const gone = keys as readonly string[];
    queue.tags = Object.fromEntries(Object.entries(queue.tags).filter(([key]) => !gone.includes(key)));
    this.queues.listener?.configured(queue);
    return {};
  }

  AddPermission({
    QueueUrl: url,
    Label: label,
    AWSAccountIds: accounts = [],
    Actions: actions = [],
  }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    const statements = statementsOf(queue).filter(({ Sid }) => Sid !== label);
    statements.push({
      Sid: label,
      Effect: 'Allow',
      Principal: { AWS: (accounts as readonly string[]).map((account) => `arn:aws:iam::${account}:root`) },
      Action: (actions as readonly string[]).map((action) => `SQS:${action}`),
      Resource: queue.arn,
    });
    this.setStatements(queue, statements);
    return {};
  }

  RemovePermission({ QueueUrl: url, Label: label }: Parameters): Answer {
    const queue = this.queues.byUrl(url);
    const statements = statementsOf(queue);
    if (!statements.some(({ Sid }) => Sid === label))
      throw new SqsError(
        'InvalidParameterValue',
        `Value ${String(label)} for parameter Label is invalid. Reason: can't find label on existing policy.`,
      );
    this.setStatements(
      queue,
      statements.filter(({ Sid }) => Sid !== label),
    );
    return {};
  }

  private setStatements(queue: Queue, statements: readonly Answer[]): void {
    const policy =
      statements.length === 0
        ? ''
        : JSON.stringify({
            Version: '2012-10-17',
            Id: `${queue.arn}/SQSDefaultPolicy`,
            Statement: statements,
          });
    this.queues.configure(queue, { Policy: policy });
  }

  private page(name: string, all: readonly string[], maximum: unknown, token: unknown): Answer {
    const from = typeof token === 'string' ? Number(Buffer.from(token, 'base64').toString()) : 0;
    const count = maximum === undefined ? PAGE : Number(maximum);
    if (!Number.isInteger(count) || count < 1 || count > PAGE)
      throw new SqsError(
        'InvalidParameterValue',
        `Value ${String(maximum)} for parameter MaxResults is invalid. Reason: from 1 to ${PAGE}.`,
      );
    const page = all.slice(from, from + count);
    if (page.length === 0) return {};
    const more = maximum !== undefined && from + count < all.length;
    return {
      [name]: page,
      ...(more ? { NextToken: Buffer.from(String(from + count)).toString('base64') } : {}),
    };
  }
}

function statementsOf(queue: Queue): Answer[] {
  return JSON.parse(queue.attributes['Policy'] || '{}').Statement ?? [];
}

function attributesOf(queue: Queue): Record<string, string> {
  const { visible, notVisible, delayed } = sizeGauges(queue);
  return {
    ...queue.attributes,
    QueueArn: queue.arn,
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.modifiedAt / 1000)),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(notVisible),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
}

const KNOWN = new Set([
  ...['DelaySeconds', 'MaximumMessageSize', 'MessageRetentionPeriod', 'ReceiveMessageWaitTimeSeconds'],
  ...[
    'VisibilityTimeout',
    'KmsDataKeyReusePeriodSeconds',
    'KmsMasterKeyId',
    'SqsManagedSseEnabled',
    'Policy',
  ],
  ...['RedrivePolicy', 'RedriveAllowPolicy', 'FifoQueue', 'ContentBasedDeduplication', 'DeduplicationScope'],
  ...['FifoThroughputLimit', 'QueueArn', 'CreatedTimestamp', 'LastModifiedTimestamp'],
  ...[
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ],
]);
