import { ageAlarm, arn, giveRole, type Parts } from './good-template';

/** What looks like a break and is none. */
export const HOLDS: readonly (readonly [id: string, why: string, change: (parts: Parts) => void])[] = [
  ['VISIBILITY_TOO_SHORT', 'exactly enough', ({ source }) => (source['VisibilityTimeout'] = '180')],
  [
    'VISIBILITY_BELOW_TIMEOUT',
    'the function is of another stack',
    ({ source, mapping }) => {
      source['VisibilityTimeout'] = 1;
      mapping['FunctionName'] = { 'Fn::ImportValue': 'fn' };
    },
  ],
  [
    'NO_PARTIAL_BATCH_RESPONSE',
    'a batch of one fails as a whole anyway',
    ({ mapping }) => {
      delete mapping['FunctionResponseTypes'];
      mapping['BatchSize'] = 1;
    },
  ],
  [
    'NO_PARTIAL_BATCH_RESPONSE',
    'a stream',
    ({ mapping }) => {
      delete mapping['FunctionResponseTypes'];
      Object.assign(mapping, {
        EventSourceArn: 'arn:aws:kinesis:eu-west-1:1:stream/s',
        StartingPosition: 'LATEST',
      });
    },
  ],
  ['CONCURRENCY_ABOVE_RESERVE', 'the sum fits', ({ fn }) => (fn['ReservedConcurrentExecutions'] = 10)],
  [
    'RESERVE_WITHOUT_MAXIMUM',
    'five pollers fit',
    ({ fn, mapping }) => {
      fn['ReservedConcurrentExecutions'] = 5;
      delete mapping['ScalingConfig'];
    },
  ],
  [
    'DEAD_LETTER_RETENTION',
    'both by default of another stack',
    ({ dead }) => (dead['MessageRetentionPeriod'] = { Ref: 'Days' }),
  ],
  [
    'CONSUMER_SENDS_TO_SOURCE',
    'it sends elsewhere',
    (parts) => giveRole(parts, 'sqs:SendMessage', arn('Dead')),
  ],
  [
    'CONSUMER_SENDS_TO_SOURCE',
    'it may not send',
    (parts) => giveRole(parts, 'sqs:ReceiveMessage', arn('Source')),
  ],
  [
    'MAPPING_TWICE',
    'another function',
    ({ mapping, more }) => {
      more['Other'] = { Type: 'AWS::Lambda::Function', Properties: {} };
      more['Second'] = {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { ...mapping, FunctionName: { Ref: 'Other' } },
      };
    },
  ],
  [
    'FIFO_FOLLOWERS',
    'a batch of one',
    ({ source, mapping }) => {
      source['FifoQueue'] = true;
      mapping['BatchSize'] = 1;
    },
  ],
  [
    'CONSUMER_CANNOT_DECRYPT',
    'it may',
    (parts) => {
      parts.source['KmsMasterKeyId'] = arn('Key');
      giveRole(parts, 'kms:Decrypt', arn('Key'));
    },
  ],
  [
    'CONSUMER_CANNOT_DECRYPT',
    'the key itself lets it in',
    (parts) => {
      parts.source['KmsMasterKeyId'] = arn('Key');
      parts.key['KeyPolicy'] = {
        Statement: [{ Effect: 'Allow', Principal: { AWS: arn('FnRole') }, Action: 'kms:Decrypt' }],
      };
      giveRole(parts, 'sqs:ReceiveMessage', arn('Source'));
    },
  ],
  [
    'CONSUMER_CANNOT_DECRYPT',
    'a policy from elsewhere may let it in',
    (parts) => {
      parts.source['KmsMasterKeyId'] = arn('Key');
      giveRole(parts, 'sqs:ReceiveMessage', arn('Source'));
      parts.more['FnRole'] = {
        Type: 'AWS::IAM::Role',
        Properties: { ManagedPolicyArns: ['arn:aws:iam::1:policy/mine'] },
      };
    },
  ],
  [
    'QUEUE_OPEN_TO_ALL',
    'under a condition',
    ({ policies }) =>
      (policies['PolicyDocument'] = {
        Statement: [{ Effect: 'Allow', Principal: '*', Condition: { ArnEquals: {} } }],
      }),
  ],
  [
    'ALARM_TOPIC_POLICY',
    'CloudWatch is let in',
    ({ more }) =>
      (more['TopicPolicy'] = {
        Type: 'AWS::SNS::TopicPolicy',
        Properties: {
          Topics: [{ Ref: 'Topic' }],
          PolicyDocument: {
            Statement: [
              { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' }, Action: 'sns:Publish' },
            ],
          },
        },
      }),
  ],
  [
    'ALARM_ON_SENT',
    'sent to the source is what producers do',
    ({ alarm }) =>
      Object.assign(alarm, {
        MetricName: 'NumberOfMessagesSent',
        Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['Source', 'QueueName'] } }],
      }),
  ],
  ['AGE_ALARM_ALWAYS_ON', 'an hour is long enough', (parts) => ageAlarm(parts, 3_600)],
  ['EXPIRY_ALARM_TOO_LATE', 'two days ahead', (parts) => ageAlarm(parts, 1_209_600 - 345_600 - 172_800)],
  [
    'QUEUE_NAMES_CLASH',
    'names made by CloudFormation',
    ({ source, dead }) => {
      delete source['QueueName'];
      delete dead['QueueName'];
    },
  ],
];
