import { covers, hasUnseenRights, rightsOf, statementsIn } from './role-statements';
import { finding, type Rule } from './rule';
import {
  isTrue,
  listOf,
  numberOf,
  objectOf,
  type Resource,
  type TemplateModel,
  textOf,
} from './template-model';

const QUEUE =
  'https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html';
const ATTRIBUTES =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html';
const DLQ =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html';
const KEYS =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html';
const FOUR_DAYS = 345_600;
const DEFAULT_VISIBILITY = 30;

/** A Ref where an ARN belongs: of a queue it is the URL. */
function isQueueRef(model: TemplateModel, value: unknown): boolean {
  return typeof objectOf(value)?.['Ref'] === 'string' && model.target(value)?.type === 'AWS::SQS::Queue';
}

/** Settings that contradict each other, or that the service refuses: field rules F26, F36, F40 to F46. */
export const SHAPE_RULES: readonly Rule[] = [
  {
    id: 'DEAD_LETTER_TARGET_NOT_ARN',
    severity: 'error',
    what: 'a redrive policy names the URL of the dead-letter queue',
    why: 'refused at deploy: Ref of a queue is its URL (F36)',
    source: QUEUE,
    remedy: 'Fn::GetAtt Arn',
    check: (model) =>
      model
        .queues()
        .filter((queue) => isQueueRef(model, model.redrivePolicyOf(queue)?.target))
        .map(({ logicalId }) => finding(logicalId, 'RedrivePolicy.deadLetterTargetArn', 'Ref')),
  },
  {
    id: 'MAPPING_SOURCE_NOT_ARN',
    severity: 'error',
    what: 'a mapping names the URL of the queue',
    why: 'refused at deploy: Ref of a queue is its URL',
    source: QUEUE,
    remedy: 'Fn::GetAtt Arn',
    check: (model) =>
      model
        .ofType('AWS::Lambda::EventSourceMapping')
        .filter(({ properties }) => isQueueRef(model, properties['EventSourceArn']))
        .map(({ logicalId }) => finding(logicalId, 'EventSourceArn', 'Ref')),
  },
  {
    id: 'QUEUE_NAMES_CLASH',
    severity: 'error',
    what: 'two queues of one name',
    why: 'refused at deploy, or worse: source and dead-letter queue are one (F46)',
    source: QUEUE,
    remedy: 'a name of its own for each, -dlq at the end of the dead-letter queue',
    check: (model) => {
      const seen = new Map<string, string>();
      return model.queues().flatMap(({ logicalId, properties }) => {
        const name = textOf(properties['QueueName']);
        if (name === undefined) return [];
        const first = seen.get(name);
        seen.set(name, first ?? logicalId);
        return first === undefined ? [] : [finding(logicalId, 'QueueName', `${name}, as ${first}`)];
      });
    },
  },
  {
    id: 'RETENTION_BELOW_HORIZON',
    severity: 'warning',
    what: 'messages expire before they have used their receives up',
    why: 'they never reach the dead-letter queue, and are dropped without a word (F08, F38)',
    source: DLQ,
    remedy: 'a retention well above receives times visibility timeout',
    check: (model) =>
      model.queues().flatMap((queue) => {
        const count = model.redrivePolicyOf(queue)?.maxReceiveCount;
        const visibility = numberOf(queue.properties['VisibilityTimeout'] ?? DEFAULT_VISIBILITY);
        const retention = numberOf(queue.properties['MessageRetentionPeriod'] ?? FOUR_DAYS);
        return count === undefined ||
          visibility === undefined ||
          retention === undefined ||
          count * visibility < retention
          ? []
          : [
              finding(
                queue.logicalId,
                'MessageRetentionPeriod',
                `${retention} s, and ${count} receives x ${visibility} s are ${count * visibility} s`,
              ),
            ];
      }),
  },
  {
    id: 'FIFO_FOLLOWERS',
    severity: 'warning',
    what: 'a FIFO batch uses up the receives of the messages behind a failing one',
    why: 'what is received along with it reaches the dead-letter queue without an attempt (F26)',
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html',
    remedy: 'a batch of 1, or twice as many receives as messages in a batch',
    check: (model) =>
      model.mappings().flatMap((mapping) => {
        const queue = model.queueOf(mapping);
        if (queue === undefined || !isTrue(queue.properties['FifoQueue'])) return [];
        const batch = numberOf(mapping.properties['BatchSize'] ?? 10);
        const count = model.redrivePolicyOf(queue)?.maxReceiveCount;
        return batch === undefined || count === undefined || batch <= 1 || count >= 2 * batch
          ? []
          : [finding(mapping.logicalId, 'BatchSize', `${batch} with ${count} receives`)];
      }),
  },
  {
    id: 'ALLOW_POLICY_SHAPE',
    severity: 'error',
    what: 'a redrive-allow policy that contradicts itself',
    why: 'refused at deploy, or it lets in whom nobody meant (F44)',
    source: DLQ,
    remedy: 'byQueue with sourceQueueArns; allowAll and denyAll without',
    check: (model) =>
      model.queues().flatMap(({ logicalId, properties }) => {
        const policy = objectOf(properties['RedriveAllowPolicy']);
        const permission = textOf(policy?.['redrivePermission']);
        if (permission === undefined) return [];
        const named = policy?.['sourceQueueArns'] !== undefined;
        return (permission === 'byQueue') === named
          ? []
          : [
              finding(
                logicalId,
                'RedriveAllowPolicy',
                `${permission} ${named ? 'with' : 'without'} sourceQueueArns`,
              ),
            ];
      }),
  },
  {
    id: 'FIFO_THROUGHPUT',
    severity: 'error',
    what: 'throughput by message group without deduplication by message group',
    why: 'refused at deploy',
    source: ATTRIBUTES,
    remedy: 'DeduplicationScope messageGroup',
    check: (model) =>
      model
        .queues()
        .filter(
          ({ properties }) =>
            properties['FifoThroughputLimit'] === 'perMessageGroupId' &&
            (properties['DeduplicationScope'] ?? 'queue') === 'queue',
        )
        .map(({ logicalId }) => finding(logicalId, 'DeduplicationScope', 'queue')),
  },
  {
    id: 'TWO_ENCRYPTIONS',
    severity: 'error',
    what: 'a queue under a key of SQS and one of KMS',
    why: 'they exclude each other',
    source: ATTRIBUTES,
    remedy: 'one of SqsManagedSseEnabled and KmsMasterKeyId',
    check: (model) =>
      model
        .queues()
        .filter(
          ({ properties }) =>
            isTrue(properties['SqsManagedSseEnabled']) && properties['KmsMasterKeyId'] !== undefined,
        )
        .map(({ logicalId }) => finding(logicalId, 'SqsManagedSseEnabled', 'true, with KmsMasterKeyId')),
  },
  {
    id: 'CONSUMER_CANNOT_DECRYPT',
    severity: 'error',
    what: 'the consumer may not use the key of its queue',
    why: 'messages go to the dead-letter queue without an invocation (F42)',
    source: KEYS,
    remedy: 'kms:Decrypt on the key for the role of the function',
    check: (model) =>
      model.mappings().flatMap((mapping) => {
        const consumer = model.functionOf(mapping);
        const key = model.target(model.queueOf(mapping)?.properties['KmsMasterKeyId']);
        if (consumer === undefined || key?.type !== 'AWS::KMS::Key') return [];
        const rights = rightsOf(model, consumer);
        if (rights === undefined || hasUnseenRights(model, consumer) || letsRolesIn(key)) return [];
        const allowed = rights.some(
          (statement) =>
            statement.allow &&
            covers(statement, 'kms:decrypt') &&
            statement.resources.some((resource) => resource === '*' || model.target(resource) === key),
        );
        return allowed ? [] : [finding(consumer.logicalId, 'Role', `no kms:Decrypt on ${key.logicalId}`)];
      }),
  },
  {
    id: 'QUEUE_OPEN_TO_ALL',
    severity: 'error',
    what: 'anybody may use the queue',
    why: 'strangers send, or read, messages',
    source:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-security-best-practices.html',
    remedy: 'a principal, or a condition such as aws:SourceArn',
    check: (model) =>
      model
        .ofType('AWS::SQS::QueuePolicy')
        .flatMap(({ logicalId, properties }) =>
          statementsIn(properties['PolicyDocument']).some(
            ({ allow, anybody, conditional }) => allow && anybody && !conditional,
          )
            ? [finding(logicalId, 'PolicyDocument', 'Allow for Principal *, without a condition')]
            : [],
        ),
  },
  {
    id: 'ALARM_TOPIC_POLICY',
    severity: 'error',
    what: 'an alarm topic whose policy does not let CloudWatch publish',
    why: 'a policy of its own takes the place of the default one: the alarm turns red and the notice is dropped (F34)',
    source: 'https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html',
    remedy: 'sns:Publish for cloudwatch.amazonaws.com in the topic policy',
    check: (model) => {
      const topics = new Set(
        model
          .ofType('AWS::CloudWatch::Alarm')
          .flatMap(({ properties }) =>
            listOf(properties['AlarmActions']).flatMap((action) => model.target(action) ?? []),
          ),
      );
      return model.ofType('AWS::SNS::TopicPolicy').flatMap(({ logicalId, properties }) => {
        const mine = listOf(properties['Topics']).some((topic) =>
          topics.has(model.target(topic) as Resource),
        );
        const document = objectOf(properties['PolicyDocument']);
        if (!mine || document === undefined || document['Statement'] === undefined) return [];
        const open = statementsIn(document).some(
          (statement) =>
            statement.allow &&
            covers(statement, 'sns:publish') &&
            (statement.anybody || statement.services.includes('cloudwatch.amazonaws.com')),
        );
        return open ? [] : [finding(logicalId, 'PolicyDocument', 'without cloudwatch.amazonaws.com')];
      });
    },
  },
];

/** True when the key's own policy lets more in than the account in general: then the role may be among them. */
function letsRolesIn(key: Resource): boolean {
  const all = objectOf(key.properties['KeyPolicy'])?.['Statement'];
  return listOf(all).some((raw) => {
    const statement = objectOf(raw);
    const principals = [objectOf(statement?.['Principal'])?.['AWS'] ?? []].flat();
    return (
      statement?.['Principal'] === '*' ||
      principals.some((principal) => !JSON.stringify(principal).includes(':root'))
    );
  });
}
