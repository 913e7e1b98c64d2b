export type Props = Record<string, unknown>;
export interface Parts {
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

const BASIC = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
export const ROOT = { AWS: 'arn:aws:iam::111122223333:root' };
export const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

export function good(): Parts {
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

export function templateOf(parts: Parts): { Resources: Record<string, unknown> } {
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

/** Gives the consumer a role with one statement. */
export function giveRole(parts: Parts, action: string, resource: unknown): void {
  parts.fn['Role'] = arn('FnRole');
  parts.more['FnRole'] = { Type: 'AWS::IAM::Role', Properties: { ManagedPolicyArns: [BASIC] } };
  parts.more['FnPolicy'] = {
    Type: 'AWS::IAM::Policy',
    Properties: {
      Roles: [{ Ref: 'FnRole' }],
      PolicyDocument: { Statement: [{ Effect: 'Allow', Action: [action], Resource: resource }] },
    },
  };
}

/** The alarm, on the age of the dead-letter queue. */
export function ageAlarm({ alarm }: Parts, Threshold: number): void {
  Object.assign(alarm, { MetricName: 'ApproximateAgeOfOldestMessage', Threshold });
}
