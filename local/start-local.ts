import path from 'node:path';
import { createCloudWatch } from './cloudwatch/cloudwatch';
import { MetricStore } from './cloudwatch/metric-store';
import { createDynamoDb } from './dynamodb/dynamodb';
import { type EngineOptions, type LocalEngine, startEngine } from './engine';
import { createEvents } from './events/events';
import { kmsProviders } from './kms/kms';
import { createLambda, type LambdaOptions } from './lambda/lambda';
import { createLogs } from './logs/logs';
import { createS3 } from './s3/s3';
import { createScheduler } from './scheduler/scheduler';
import { createSns } from './sns/sns';
import { createSqs } from './sqs/sqs';
import { createParameterStore } from './ssm/parameter-store';
import { createStates } from './states/states';

export interface LocalOptions extends EngineOptions, Pick<LambdaOptions, 'node' | 'maximumProcesses'> {
  /** A `node_modules` folder with `@aws-sdk`, for bundles that leave it to the runtime. Default: that of this package. */
  readonly sdkFolder?: string;
}

export type LocalServices = ReturnType<typeof servicesOf>;

/** Runs a synthesized app on this machine: `startLocal({ assembly: 'cdk.out' })`. It knows nothing of what it runs. */
export function startLocal(options: LocalOptions): Promise<LocalEngine<LocalServices>> {
  return startEngine(options, (foundation) => {
    const services = servicesOf(options, foundation);
    const { sqs, dynamoDb, logs, lambda, sns, states, cloudWatch, events, scheduler, s3, parameters } =
      services;
    return {
      services,
      served: [sqs, dynamoDb, s3, parameters, logs, sns, events, scheduler, states, lambda, cloudWatch],
      extraProviders: kmsProviders(),
      storedParameter: (name) => parameters.value(name),
    };
  });
}

type Foundation = Parameters<Parameters<typeof startEngine>[1]>[0];

function servicesOf(
  options: LocalOptions,
  { clock, environment: environmentWith, credentialsFor }: Foundation,
) {
  const store = new MetricStore(clock);
  const environment = environmentWith(store);
  const sqs = createSqs(environment);
  const logs = createLogs(environment);
  const lambda = createLambda(environment, {
    queues: sqs,
    logs,
    credentialsFor,
    sdkFolder: options.sdkFolder ?? path.resolve(__dirname, '../node_modules'),
    ...(options.node === undefined ? {} : { node: options.node }),
    ...(options.maximumProcesses === undefined ? {} : { maximumProcesses: options.maximumProcesses }),
  });
  const sns = createSns(environment, { queues: sqs, functions: lambda });
  const states = createStates(environment, { functions: lambda, credentialsFor });
  return {
    store,
    sqs,
    logs,
    lambda,
    sns,
    states,
    dynamoDb: createDynamoDb(environment),
    s3: createS3(environment),
    parameters: createParameterStore(environment),
    cloudWatch: createCloudWatch(environment, { store, topics: sns, functions: lambda }),
    scheduler: createScheduler(environment, {
      queues: sqs,
      functions: lambda,
      topics: sns,
      executions: states,
    }),
    events: createEvents(environment, { queues: sqs, functions: lambda, topics: sns, executions: states }),
  };
}
