import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RecoverableQueue } from 'cdk-redrive';
import { describe, expect, it } from 'vitest';
import { checkTemplate, RULES } from '../../../lib/rules/rules';

type Props = Record<string, unknown>;
interface Parts {
  source: Props;
  dead: Props;
  mapping: Props;
  fn: Props;
  alarm: Props;
  topic: Props;
  key: Props;
  role: Props;
  policies: Props;
  more: Record<string, unknown>;
  deadPolicy: string | undefined;
}

const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

function good(): Parts {
  return {
    source: {
      QueueName: 'orders',
      VisibilityTimeout: 180,
      MessageRetentionPeriod: 345_600,
      RedrivePolicy: { deadLetterTargetArn: arn('Dead'), maxReceiveCount: 5 },
    },
    dead: {
      QueueName: 'orders-dlq',
      MessageRetentionPeriod: 1_209_600,
      RedriveAllowPolicy: {
        redrivePermission: 'byQueue',
        sourceQueueArns: ['arn:aws:sqs:eu-west-1:1:orders'],
      },
    },
    mapping: {
      EventSourceArn: arn('Source'),
      FunctionName: { Ref: 'Fn' },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    },
    fn: { Timeout: 30 },
    alarm: {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Statistic: 'Maximum',
      TreatMissingData: 'notBreaching',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['Dead', 'QueueName'] } }],
      AlarmActions: [{ Ref: 'Topic' }],
      OKActions: [{ Ref: 'Topic' }],
    },
    topic: { KmsMasterKeyId: { Ref: 'Key' } },
    key: { KeyPolicy: { Statement: [{ Principal: { Service: 'cloudwatch.amazonaws.com' } }] } },
    role: {
      PolicyDocument: {
        Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: arn('Source') }],
      },
    },
    policies: {
      Queues: [{ Ref: 'Source' }, { Ref: 'Dead' }],
      PolicyDocument: { Statement: [{ Condition: { Bool: { 'aws:SecureTransport': 'false' } } }] },
    },
    more: {},
    deadPolicy: 'Retain',
  };
}

function templateOf(parts: Parts): { Resources: Record<string, unknown> } {
  const resource = (Type: string, Properties: Props) => ({ Type, Properties });
  return {
    Resources: {
      Source: resource('AWS::SQS::Queue', parts.source),
      Dead: {
        ...resource('AWS::SQS::Queue', parts.dead),
        DeletionPolicy: parts.deadPolicy,
        UpdateReplacePolicy: parts.deadPolicy,
      },
      Mapping: resource('AWS::Lambda::EventSourceMapping', parts.mapping),
      Fn: resource('AWS::Lambda::Function', parts.fn),
      Alarm: resource('AWS::CloudWatch::Alarm', parts.alarm),
      Topic: resource('AWS::SNS::Topic', parts.topic),
      Key: resource('AWS::KMS::Key', parts.key),
      Role: resource('AWS::IAM::Policy', parts.role),
      Policies: resource('AWS::SQS::QueuePolicy', parts.policies),
      ...parts.more,
    },
  };
}

/** One way to break each rule, starting from a template that breaks none. */
const BREAKS: Readonly<Record<string, (parts: Parts) => void>> = {
  VISIBILITY_BELOW_TIMEOUT: ({ source }) => (source['VisibilityTimeout'] = 29),
  VISIBILITY_TOO_SHORT: ({ source }) => (source['VisibilityTimeout'] = 179),
  VISIBILITY_RANGE: ({ source }) => (source['VisibilityTimeout'] = 43_201),
  DELAY_RANGE: ({ source }) => (source['DelaySeconds'] = 901),
  POLL_RANGE: ({ source }) => (source['ReceiveMessageWaitTimeSeconds'] = 21),
  RETENTION_RANGE: ({ dead }) => (dead['MessageRetentionPeriod'] = 1_209_601),
  MESSAGE_SIZE_RANGE: ({ source }) => (source['MaximumMessageSize'] = 1_048_577),
  WINDOW_RANGE: ({ mapping }) => (mapping['MaximumBatchingWindowInSeconds'] = 301),
  RECEIVE_COUNT_RANGE: ({ source }) =>
    (source['RedrivePolicy'] = { deadLetterTargetArn: arn('Dead'), maxReceiveCount: 1_001 }),
  RECEIVE_COUNT_LOW: ({ source }) =>
    (source['RedrivePolicy'] = { deadLetterTargetArn: arn('Dead'), maxReceiveCount: 1 }),
  RETRY_HORIZON_LONG: ({ source }) =>
    (source['RedrivePolicy'] = { deadLetterTargetArn: arn('Dead'), maxReceiveCount: 1_000 }),
  BATCH_NEEDS_WINDOW: ({ mapping }) => (mapping['BatchSize'] = 100),
  FIFO_BATCH: ({ source, mapping }) => {
    source['FifoQueue'] = true;
    mapping['MaximumBatchingWindowInSeconds'] = 5;
  },
  MAXIMUM_CONCURRENCY_LOW: ({ mapping }) => (mapping['ScalingConfig'] = { MaximumConcurrency: 1 }),
  CONCURRENCY_ABOVE_RESERVE: ({ fn }) => (fn['ReservedConcurrentExecutions'] = 9),
  RESERVE_WITHOUT_MAXIMUM: ({ fn, mapping }) => {
    fn['ReservedConcurrentExecutions'] = 2;
    delete mapping['ScalingConfig'];
  },
  POLLERS_AND_MAXIMUM: ({ mapping }) => (mapping['ProvisionedPollerConfig'] = { MinimumPollers: 2 }),
  NO_PARTIAL_BATCH_RESPONSE: ({ mapping }) => delete mapping['FunctionResponseTypes'],
  FUNCTION_DEAD_LETTER_CONFIG: ({ fn }) => (fn['DeadLetterConfig'] = { TargetArn: arn('Dead') }),
  CONSUMER_ON_DEAD_LETTER_QUEUE: ({ mapping }) => (mapping['EventSourceArn'] = arn('Dead')),
  RECURSION_ALLOWED: ({ fn }) => (fn['RecursiveLoop'] = 'Allow'),
  TWO_MAPPINGS_COMPETE: (parts) => {
    parts.mapping['FilterCriteria'] = { Filters: [{ Pattern: '{"body":{"a":[1]}}' }] };
    parts.more['Second'] = { Type: 'AWS::Lambda::EventSourceMapping', Properties: { ...parts.mapping } };
  },
  FILTER_DROPS: ({ mapping }) =>
    (mapping['FilterCriteria'] = { Filters: [{ Pattern: '{"body":{"a":[1]}}' }] }),
  FILTER_KEY: ({ mapping }) =>
    (mapping['FilterCriteria'] = { Filters: [{ Pattern: '{"messageAttributes":{"a":[1]}}' }] }),
  NO_DEAD_LETTER_QUEUE: ({ source }) => delete source['RedrivePolicy'],
  DEAD_LETTER_RETENTION: ({ source }) => (source['MessageRetentionPeriod'] = 1_209_600),
  QUEUE_TYPES_DIFFER: ({ source }) => (source['FifoQueue'] = true),
  MESSAGE_SIZES_DIFFER: ({ dead }) => (dead['MaximumMessageSize'] = 262_144),
  DEAD_LETTER_ITSELF: ({ source }) =>
    (source['RedrivePolicy'] = { deadLetterTargetArn: arn('Source'), maxReceiveCount: 5 }),
  DEAD_LETTER_CHAIN: ({ dead }) =>
    (dead['RedrivePolicy'] = {
      deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:1:elsewhere',
      maxReceiveCount: 5,
    }),
  DEAD_LETTER_DELAY: ({ dead }) => (dead['DelaySeconds'] = 5),
  ALLOW_POLICY_SHUTS_SOURCE_OUT: ({ dead }) =>
    (dead['RedriveAllowPolicy'] = { redrivePermission: 'denyAll' }),
  ALLOW_POLICY_TOO_LONG: ({ dead }) =>
    (dead['RedriveAllowPolicy'] = {
      redrivePermission: 'byQueue',
      sourceQueueArns: Array(11).fill('arn:aws:sqs:eu-west-1:1:orders'),
    }),
  ALLOW_POLICY_OPEN: ({ dead }) => delete dead['RedriveAllowPolicy'],
  FIFO_NAME: ({ source }) => (source['QueueName'] = 'orders.fifo'),
  DEDUPLICATION_NEEDS_FIFO: ({ source }) => (source['ContentBasedDeduplication'] = true),
  NOT_RETAINED: (parts) => (parts.deadPolicy = 'Delete'),
  DEAD_LETTER_WITHOUT_ALARM: ({ alarm }) =>
    (alarm['Dimensions'] = [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['Source', 'QueueName'] } }]),
  ALARM_ON_SENT: ({ alarm }) => (alarm['MetricName'] = 'NumberOfMessagesSent'),
  ALARM_SUM_OF_GAUGE: ({ alarm }) => (alarm['Statistic'] = 'Sum'),
  ALARM_MISSING_DATA: ({ alarm }) => delete alarm['TreatMissingData'],
  ALARM_WITHOUT_ACTION: ({ alarm }) => delete alarm['AlarmActions'],
  ALARM_WITHOUT_END: ({ alarm }) => delete alarm['OKActions'],
  ALARM_TOPIC_KEY: ({ topic }) => (topic['KmsMasterKeyId'] = 'alias/aws/sns'),
  ALARM_KEY_SHUTS_CLOUDWATCH_OUT: ({ key }) => (key['KeyPolicy'] = { Statement: [] }),
  MANAGED_KEY_FED_BY_SERVICE: ({ source, more }) => {
    source['KmsMasterKeyId'] = 'alias/aws/sqs';
    more['Subscription'] = {
      Type: 'AWS::SNS::Subscription',
      Properties: { Protocol: 'sqs', Endpoint: arn('Source') },
    };
  },
  DEAD_LETTER_KEY_MISSING: ({ source }) => (source['KmsMasterKeyId'] = { Ref: 'Key' }),
  NOT_ENCRYPTED: ({ source }) => (source['SqsManagedSseEnabled'] = false),
  PLAIN_HTTP_ALLOWED: ({ policies }) => (policies['Queues'] = [{ Ref: 'Source' }]),
  WILDCARD_RIGHTS: ({ role }) =>
    (role['PolicyDocument'] = { Statement: [{ Effect: 'Allow', Action: 'sqs:*', Resource: arn('Source') }] }),
};

const broken = (template: object): string[] => checkTemplate(template).map(({ rule }) => rule.id);

describe('the rules', () => {
  it('are at least forty, each with an id of its own, a source and a case here', () => {
    const ids = RULES.map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !(id in BREAKS))).toEqual([]);
    expect(RULES.filter(({ source }) => !source.startsWith('https://docs.aws.amazon.com/'))).toEqual([]);
  });

  it('have nothing against a good template', () => {
    expect(broken(templateOf(good()))).toEqual([]);
  });

  it.each(Object.keys(BREAKS))('%s is found when it is broken', (id) => {
    const parts = good();
    BREAKS[id]?.(parts);
    expect(broken(templateOf(parts))).toContain(id);
  });

  it('say nothing about tokens, and never throw on them', () => {
    const parts = good();
    const token = { 'Fn::ImportValue': 'elsewhere' };
    for (const part of [
      parts.source,
      parts.dead,
      parts.mapping,
      parts.fn,
      parts.alarm,
      parts.topic,
      parts.key,
      parts.role,
      parts.policies,
    ])
      for (const name of Object.keys(part)) part[name] = token;
    expect(
      checkTemplate(templateOf(parts)).filter(
        ({ rule }) => rule.severity === 'error' && rule.id !== 'NO_PARTIAL_BATCH_RESPONSE',
      ),
    ).toEqual([]);
    expect(() =>
      checkTemplate({ Resources: { A: null, B: { Type: 'AWS::SQS::Queue', Properties: null } } as never }),
    ).not.toThrow();
  });

  it('have nothing against our own construct', () => {
    const stack = new Stack(new App(), 'Shop');
    const fn = new LambdaFunction(stack, 'Fn', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'i.h',
      code: Code.fromInline('x'),
      timeout: Duration.seconds(60),
    });
    new RecoverableQueue(stack, 'Orders', { owner: 'shop' }).addConsumer(fn, {
      maxBatchingWindow: Duration.seconds(20),
      batchSize: 100,
    });
    const template = Template.fromStack(stack).toJSON();
    expect(template['Resources']).toBeDefined();
    expect(
      checkTemplate(template).map(({ rule, logicalId, message }) => `${rule.id} ${logicalId} ${message}`),
    ).toEqual([]);
  });
});
