import type { ResourceProvider } from '../cloudformation/resource-provider';
import { ResourceError } from '../cloudformation/resource-provider';
import type { QueueRegistry } from './queue-registry';
import { SqsError } from './sqs-error';

const ATTRIBUTES = [
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'DelaySeconds',
  'FifoQueue',
  'FifoThroughputLimit',
  'KmsDataKeyReusePeriodSeconds',
  'KmsMasterKeyId',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedriveAllowPolicy',
  'RedrivePolicy',
  'SqsManagedSseEnabled',
  'VisibilityTimeout',
] as const;

export function queueProviders(queues: QueueRegistry): ResourceProvider[] {
  return [
    {
      type: 'AWS::SQS::Queue',
      emulated: ['QueueName', 'Tags', ...ATTRIBUTES],
      create: ({ properties, generatedName }) => {
        const fifo = String(properties['FifoQueue'] ?? false) === 'true';
        const name = String(properties['QueueName'] ?? `${generatedName.slice(0, 75)}${fifo ? '.fifo' : ''}`);
        const attributes = attributesOf(properties, fifo);
        const tags = Object.fromEntries(
          ((properties['Tags'] ?? []) as { Key: string; Value: string }[]).map(({ Key, Value }) => [
            Key,
            Value,
          ]),
        );
        const queue = asResource(() => {
          const existing = queues.find(name);
          if (existing === undefined) return queues.create(name, attributes, tags);
          // Kept from an earlier run: the messages stay, the settings follow the template.
          const { FifoQueue: _, ...settings } = attributes;
          queues.configure(existing, settings);
          return existing;
        });
        return {
          ref: queues.urlOf(queue),
          attributes: { Arn: queue.arn, QueueName: queue.name, QueueUrl: queues.urlOf(queue) },
        };
      },
    },
    {
      type: 'AWS::SQS::QueuePolicy',
      emulated: ['Queues', 'PolicyDocument'],
      create: ({ properties, logicalId }) => {
        for (const url of properties['Queues'] as string[])
          asResource(() =>
            queues.configure(queues.byUrl(url), { Policy: JSON.stringify(properties['PolicyDocument']) }),
          );
        return { ref: logicalId, attributes: { Id: logicalId } };
      },
    },
  ];
}

function attributesOf(properties: Readonly<Record<string, unknown>>, fifo: boolean): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const name of ATTRIBUTES) {
    const value = properties[name];
    if (value === undefined || (name === 'FifoQueue' && !fifo)) continue;
    attributes[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return attributes;
}

function asResource<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof SqsError) throw new ResourceError('', error.message);
    throw error;
  }
}
