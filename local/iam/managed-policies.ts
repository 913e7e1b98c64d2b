const LOGS = {
  Effect: 'Allow',
  Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
  Resource: '*',
};

function policy(...statements: readonly object[]): object {
  return { Version: '2012-10-17', Statement: statements };
}

/**
 * The AWS managed policies that queue consumers use, by the part of the ARN after `:policy/`.
 * https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html
 */
export const AWS_MANAGED_POLICIES: Readonly<Record<string, object>> = {
  'service-role/AWSLambdaBasicExecutionRole': policy(LOGS),
  'service-role/AWSLambdaSQSQueueExecutionRole': policy(LOGS, {
    Effect: 'Allow',
    Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    Resource: '*',
  }),
  'service-role/AWSLambdaVPCAccessExecutionRole': policy(LOGS, {
    Effect: 'Allow',
    Action: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    Resource: '*',
  }),
  AWSXRayDaemonWriteAccess: policy({
    Effect: 'Allow',
    Action: [
      'xray:PutTraceSegments',
      'xray:PutTelemetryRecords',
      'xray:GetSamplingRules',
      'xray:GetSamplingTargets',
      'xray:GetSamplingStatisticSummaries',
    ],
    Resource: '*',
  }),
};

const AWS_MANAGED = /^arn:aws:iam::aws:policy\/(.+)$/;

/** The name of an AWS managed policy; undefined for the ARN of a customer's own. */
export function awsManagedName(arn: string): string | undefined {
  return AWS_MANAGED.exec(arn)?.[1];
}
