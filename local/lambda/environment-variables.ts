import type { Credentials } from '../gateway/identities';
import type { FunctionConfig } from './function-config';

/** Suffixes of `AWS_ENDPOINT_URL_` for every service that the engine serves. */
const SERVED = [
  ...[
    'SQS',
    'DYNAMODB',
    'SFN',
    'LAMBDA',
    'CLOUDWATCH',
    'CLOUDWATCH_LOGS',
    'SNS',
    'S3',
    'SCHEDULER',
    'EVENTBRIDGE',
  ],
  ...['STS', 'KMS', 'SSM', 'CLOUDFORMATION'],
];

/** Nothing listens there: a service that is not emulated can't be reached, least of all the real one. */
const NOWHERE = 'http://127.0.0.1:9';

export interface Surroundings {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: Credentials;
  readonly taskRoot: string;
  readonly runtimeApi: string;
  readonly logStream: string;
  /** Epoch milliseconds of a simulated clock; absent: real time. */
  readonly simulatedNow?: number;
}

/** All that a handler's process gets; nothing of the engine's own environment but the path. */
export function environmentVariables(config: FunctionConfig, around: Surroundings): Record<string, string> {
  return {
    ...config.environment,
    PATH: process.env['PATH'] ?? '',
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    AWS_REGION: around.region,
    AWS_DEFAULT_REGION: around.region,
    AWS_ACCESS_KEY_ID: around.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: around.credentials.secretAccessKey,
    AWS_SESSION_TOKEN: around.credentials.sessionToken,
    AWS_ENDPOINT_URL: NOWHERE,
    ...Object.fromEntries(SERVED.map((service) => [`AWS_ENDPOINT_URL_${service}`, around.endpoint])),
    AWS_CONFIG_FILE: '/nonexistent',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_EXECUTION_ENV: `AWS_Lambda_${config.runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: config.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(config.memory),
    AWS_LAMBDA_LOG_GROUP_NAME: config.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: around.logStream,
    AWS_LAMBDA_LOG_FORMAT: config.logFormat,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_RUNTIME_API: around.runtimeApi,
    LAMBDA_TASK_ROOT: around.taskRoot,
    _HANDLER: config.handler,
    ...(around.simulatedNow === undefined ? {} : { LOCAL_ENGINE_CLOCK: String(around.simulatedNow) }),
    // The SDK's notice about the Node version of this machine says nothing about the deployed function.
    NODE_NO_WARNINGS: '1',
  };
}
