import { type FunctionInvoker, ThrottledError } from '../gateway/ports';
import type { Environment, Identity } from '../gateway/service';
import { callSdk, isSdkService } from './sdk-calls';
import { StateFailure } from './states-error';

export interface TaskCall {
  readonly resource: string;
  readonly input: unknown;
  readonly roleArn: string;
  readonly identity: Identity;
}

/** What a resource ARN asks for. */
export interface TaskResource {
  readonly kind: 'lambda-arn' | 'lambda-invoke' | 'start-execution' | 'sdk';
  readonly service: string;
  readonly action: string;
  readonly pattern: 'request-response' | 'sync' | 'sync:2' | 'waitForTaskToken';
}

const OPTIMIZED: Readonly<Record<string, readonly string[]>> = {
  sqs: ['sendMessage'],
  sns: ['publish'],
  events: ['putEvents'],
  dynamodb: ['getItem', 'putItem', 'updateItem', 'deleteItem'],
};

/** Undefined where the resource is not emulated. */
export function taskResourceOf(arn: string): TaskResource | undefined {
  if (/^arn:[^:]+:lambda:[^:]*:\d*:function:/.test(arn))
    return { kind: 'lambda-arn', service: 'lambda', action: 'invoke', pattern: 'request-response' };
  const [, rest] = /^arn:[^:]+:states:::(.+)$/.exec(arn) ?? [];
  if (rest === undefined) return undefined;
  const [name = '', wanted = 'request-response'] = rest.split('.', 2) as [string, TaskResource['pattern']?];
  const parts = name.split(':');
  if (!['request-response', 'sync', 'sync:2', 'waitForTaskToken'].includes(wanted)) return undefined;
  const pattern = wanted;
  if (name === 'lambda:invoke' && !pattern.startsWith('sync'))
    return { kind: 'lambda-invoke', service: 'lambda', action: 'invoke', pattern };
  if (name === 'states:startExecution')
    return { kind: 'start-execution', service: 'states', action: 'startExecution', pattern };
  if (pattern.startsWith('sync')) return undefined;
  const [service = '', action = ''] = parts[0] === 'aws-sdk' ? parts.slice(1) : parts;
  const known =
    parts[0] === 'aws-sdk' ? isSdkService(service) : OPTIMIZED[service]?.includes(action) === true;
  return known ? { kind: 'sdk', service, action, pattern } : undefined;
}

export interface TaskRunnerOptions {
  readonly environment: Environment;
  readonly functions: FunctionInvoker;
  credentialsFor(roleArn: string): {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken: string;
  };
}

/** Performs what a Task state asks for, with the rights of the state machine's role. */
export class TaskRunner {
  constructor(private readonly options: TaskRunnerOptions) {}

  identityOf(roleArn: string): Identity {
    return { accessKeyId: this.options.credentialsFor(roleArn).accessKeyId, roleArn };
  }

  async lambda(
    functionArn: string,
    payload: unknown,
    roleArn: string,
  ): Promise<{ payload: unknown; requestId: string }> {
    const { environment, functions } = this.options;
    const refusal = environment.authorize({
      identity: this.identityOf(roleArn),
      action: 'lambda:InvokeFunction',
      resource: this.functionArn(functionArn),
    });
    if (refusal !== undefined) throw new StateFailure('Lambda.AWSLambdaException', refusal);
    let result: Awaited<ReturnType<FunctionInvoker['invoke']>>;
    try {
      result = await functions.invoke(functionArn, JSON.stringify(payload ?? {}));
    } catch (error) {
      if (error instanceof ThrottledError)
        throw new StateFailure('Lambda.TooManyRequestsException', error.message);
      throw new StateFailure('Lambda.ResourceNotFoundException', String((error as Error).message));
    }
    const value = parsed(result.payload);
    if (result.functionError !== undefined) {
      const { errorType } = (value ?? {}) as { errorType?: string };
      throw new StateFailure(errorName(errorType), result.payload);
    }
    return { payload: value, requestId: result.requestId };
  }

  sdk(service: string, action: string, input: unknown, roleArn: string): Promise<unknown> {
    const { environment } = this.options;
    return callSdk(service, action, input, {
      endpoint: environment.endpoint(),
      region: environment.region,
      credentials: this.options.credentialsFor(roleArn),
    });
  }

  private functionArn(nameOrArn: string): string {
    const { region, account } = this.options.environment;
    if (!nameOrArn.startsWith('arn:')) return `arn:aws:lambda:${region}:${account}:function:${nameOrArn}`;
    return nameOrArn;
  }
}

/** The name that Retry and Catch see. */
function errorName(errorType: string | undefined): string {
  if (errorType === undefined || errorType === '') return 'Lambda.Unknown';
  return errorType;
}

function parsed(payload: string): unknown {
  if (payload === '') return null;
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
