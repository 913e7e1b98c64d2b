import { StateFailure } from './states-error';

interface SdkConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: object;
}

type Client = { send(command: unknown): Promise<Record<string, unknown>>; destroy(): void };
type Module = Record<string, new (input: unknown) => unknown>;

interface Service {
  /** As it stands in error names: `Sqs.QueueDoesNotExistException`. */
  readonly title: string;
  readonly client: string;
  load(): Promise<unknown>;
}

/** Services by their name in a task's resource. */
const SERVICES: Readonly<Record<string, Service>> = {
  sqs: { title: 'Sqs', client: 'SQSClient', load: () => import('@aws-sdk/client-sqs') },
  dynamodb: { title: 'DynamoDb', client: 'DynamoDBClient', load: () => import('@aws-sdk/client-dynamodb') },
  sfn: { title: 'Sfn', client: 'SFNClient', load: () => import('@aws-sdk/client-sfn') },
  sns: { title: 'Sns', client: 'SNSClient', load: () => import('@aws-sdk/client-sns') },
  lambda: { title: 'Lambda', client: 'LambdaClient', load: () => import('@aws-sdk/client-lambda') },
  cloudwatch: {
    title: 'CloudWatch',
    client: 'CloudWatchClient',
    load: () => import('@aws-sdk/client-cloudwatch'),
  },
  eventbridge: {
    title: 'EventBridge',
    client: 'EventBridgeClient',
    load: () => import('@aws-sdk/client-eventbridge'),
  },
  events: {
    title: 'EventBridge',
    client: 'EventBridgeClient',
    load: () => import('@aws-sdk/client-eventbridge'),
  },
  scheduler: {
    title: 'Scheduler',
    client: 'SchedulerClient',
    load: () => import('@aws-sdk/client-scheduler'),
  },
  s3: { title: 'S3', client: 'S3Client', load: () => import('@aws-sdk/client-s3') },
  ssm: { title: 'Ssm', client: 'SSMClient', load: () => import('@aws-sdk/client-ssm') },
};

/** Fields that Step Functions turns from JSON into text by itself. */
const TEXT_FIELDS = ['MessageBody', 'Message', 'Detail'];

export function isSdkService(service: string): boolean {
  return service in SERVICES;
}

/** Calls any action of an emulated service through its SDK client, over HTTP. */
export async function callSdk(
  service: string,
  action: string,
  input: unknown,
  config: SdkConfig,
): Promise<unknown> {
  const { title, client: clientName, load } = SERVICES[service] as Service;
  const module = (await load()) as Module;
  const Command = module[`${action.charAt(0).toUpperCase()}${action.slice(1)}Command`];
  const Client = module[clientName];
  if (Command === undefined || Client === undefined)
    throw new StateFailure('States.Runtime', `There is no action ${service}:${action}.`);
  const client = new Client({ ...config, maxAttempts: 1 }) as Client;
  try {
    const { $metadata: _, ...result } = await client.send(new Command(withTexts(input)));
    return JSON.parse(JSON.stringify(result));
  } catch (error) {
    const { name = 'Exception', message = '' } = error as Error;
    throw new StateFailure(`${title}.${name.endsWith('Exception') ? name : `${name}Exception`}`, message);
  } finally {
    client.destroy();
  }
}

function withTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      TEXT_FIELDS.includes(name) && typeof inner === 'object' ? JSON.stringify(inner) : withTexts(inner),
    ]),
  );
}
