import { ageAlarm, arn, giveRole, type Parts, ROOT } from './good-template';

/** One way to break each rule, starting from a template that breaks none. */
export const BREAKS: Readonly<Record<string, (parts: Parts) => void>> = {
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
  DEAD_LETTER_RETENTION: ({ dead }) => (dead['MessageRetentionPeriod'] = 345_599),
  DEAD_LETTER_RETENTION_EQUAL: ({ dead }) => delete dead['MessageRetentionPeriod'],
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
  BATCH_RANGE: ({ mapping }) => (mapping['BatchSize'] = 10_001),
  KEY_REUSE_RANGE: ({ source }) => (source['KmsDataKeyReusePeriodSeconds'] = 59),
  CONSUMER_SENDS_TO_SOURCE: (parts) => giveRole(parts, 'sqs:SendMessage', arn('Source')),
  DEAD_LETTER_LOOP: (parts) => {
    parts.mapping['EventSourceArn'] = arn('Dead');
    giveRole(parts, 'sqs:Send*', [arn('Elsewhere'), arn('Source')]);
  },
  MAPPING_TWICE: ({ mapping, more }) =>
    (more['Second'] = { Type: 'AWS::Lambda::EventSourceMapping', Properties: { ...mapping } }),
  MAPPING_DISABLED: ({ mapping }) => (mapping['Enabled'] = false),
  DEAD_LETTER_TARGET_NOT_ARN: ({ source }) =>
    (source['RedrivePolicy'] = { deadLetterTargetArn: { Ref: 'Dead' }, maxReceiveCount: 5 }),
  MAPPING_SOURCE_NOT_ARN: ({ mapping }) => (mapping['EventSourceArn'] = { Ref: 'Source' }),
  QUEUE_NAMES_CLASH: ({ dead }) => (dead['QueueName'] = 'orders'),
  RETENTION_BELOW_HORIZON: ({ source }) => (source['MessageRetentionPeriod'] = 900),
  FIFO_FOLLOWERS: ({ source, mapping }) => {
    source['FifoQueue'] = true;
    mapping['BatchSize'] = 3;
  },
  ALLOW_POLICY_SHAPE: ({ dead }) =>
    (dead['RedriveAllowPolicy'] = { redrivePermission: 'denyAll', sourceQueueArns: [] }),
  FIFO_THROUGHPUT: ({ source }) => (source['FifoThroughputLimit'] = 'perMessageGroupId'),
  TWO_ENCRYPTIONS: ({ source }) =>
    Object.assign(source, { SqsManagedSseEnabled: true, KmsMasterKeyId: { Ref: 'Key' } }),
  CONSUMER_CANNOT_DECRYPT: (parts) => {
    parts.source['KmsMasterKeyId'] = arn('Key');
    parts.key['KeyPolicy'] = { Statement: [{ Effect: 'Allow', Principal: ROOT, Action: 'kms:*' }] };
    giveRole(parts, 'sqs:ReceiveMessage', arn('Source'));
  },
  QUEUE_OPEN_TO_ALL: ({ policies }) =>
    (policies['PolicyDocument'] = {
      Statement: { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage' },
    }),
  ALARM_TOPIC_POLICY: ({ more }) =>
    (more['TopicPolicy'] = {
      Type: 'AWS::SNS::TopicPolicy',
      Properties: {
        Topics: [{ Ref: 'Topic' }],
        PolicyDocument: { Statement: [{ Effect: 'Deny', Principal: '*', Action: 'sns:Publish' }] },
      },
    }),
  ALARM_COUNTS_IN_FLIGHT: ({ alarm }) => (alarm['MetricName'] = 'ApproximateNumberOfMessagesNotVisible'),
  AGE_ALARM_ALWAYS_ON: (parts) => ageAlarm(parts, 300),
  EXPIRY_ALARM_TOO_LATE: (parts) => ageAlarm(parts, 1_209_600 - 345_600),
};
