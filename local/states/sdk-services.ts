/** One service that tasks can call. */
export interface SdkService {
  /** As it stands in error names: `Sqs.QueueDoesNotExistException`. */
  readonly title: string;
  readonly client: string;
  load(): Promise<unknown>;
  /** The API names its fields in lower case, and Step Functions with a capital letter. */
  readonly lowerCase?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
}

const EVENTBRIDGE: SdkService = {
  title: 'EventBridge',
  client: 'EventBridgeClient',
  load: () => import('@aws-sdk/client-eventbridge'),
};

/** By the name in a task's resource: `arn:aws:states:::aws-sdk:NAME:action`. */
export const SDK_SERVICES: Readonly<Record<string, SdkService>> = {
  sqs: { title: 'Sqs', client: 'SQSClient', load: () => import('@aws-sdk/client-sqs') },
  dynamodb: { title: 'DynamoDb', client: 'DynamoDBClient', load: () => import('@aws-sdk/client-dynamodb') },
  sfn: {
    title: 'Sfn',
    client: 'SFNClient',
    load: () => import('@aws-sdk/client-sfn'),
    lowerCase: true,
    // StartSyncExecution would go to a host `sync-127.0.0.1`.
    options: { disableHostPrefix: true },
  },
  sns: { title: 'Sns', client: 'SNSClient', load: () => import('@aws-sdk/client-sns') },
  lambda: { title: 'Lambda', client: 'LambdaClient', load: () => import('@aws-sdk/client-lambda') },
  cloudwatch: {
    title: 'CloudWatch',
    client: 'CloudWatchClient',
    load: () => import('@aws-sdk/client-cloudwatch'),
  },
  eventbridge: EVENTBRIDGE,
  events: EVENTBRIDGE,
  scheduler: {
    title: 'Scheduler',
    client: 'SchedulerClient',
    load: () => import('@aws-sdk/client-scheduler'),
  },
  s3: {
    title: 'S3',
    client: 'S3Client',
    load: () => import('@aws-sdk/client-s3'),
    options: { forcePathStyle: true },
  },
  ssm: { title: 'Ssm', client: 'SSMClient', load: () => import('@aws-sdk/client-ssm') },
};

export interface OptimizedService {
  readonly actions: readonly string[];
  /** First part of error names. */
  readonly title: string;
  /** Error name, after the title, of what the service's API does not define, such as a refusal by IAM. */
  readonly other: string;
}

/** Optimized integrations, `arn:aws:states:::NAME:action`, which name errors otherwise than `aws-sdk` does. */
export const OPTIMIZED_SERVICES: Readonly<Record<string, OptimizedService>> = {
  sqs: { actions: ['sendMessage'], title: 'SQS', other: 'AmazonSQSException' },
  sns: { actions: ['publish'], title: 'SNS', other: 'AmazonSNSException' },
  events: { actions: ['putEvents'], title: 'EventBridge', other: 'AmazonEventBridgeException' },
  dynamodb: {
    actions: ['getItem', 'putItem', 'updateItem', 'deleteItem'],
    title: 'DynamoDB',
    other: 'AmazonDynamoDBException',
  },
  states: { actions: ['startExecution'], title: 'StepFunctions', other: 'AWSStepFunctionsException' },
};

/** Calls that answer when time has passed, so the clock must not stand still for them. */
export const WAITING_ACTIONS: readonly string[] = ['sqs:receiveMessage', 'sfn:startSyncExecution'];
