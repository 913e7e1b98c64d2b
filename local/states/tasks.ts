import { type FunctionInvoker, ThrottledError } from '../gateway/ports';
import type { Environment, Identity } from '../gateway/service';
import { type Definition, InvalidDefinition, statesOf } from './definition';
import { hasAction, type SdkCall, SdkCalls } from './sdk-calls';
import { OPTIMIZED_SERVICES, SDK_SERVICES, WAITING_ACTIONS } from './sdk-services';
import { StateFailure } from './states-error';

/** What a resource ARN asks for. */
export interface TaskResource extends SdkCall {
  readonly kind: 'lambda-arn' | 'lambda-invoke' | 'start-execution' | 'sdk';
  readonly pattern: 'request-response' | 'sync' | 'sync:2' | 'waitForTaskToken';
  /** The call answers when time has passed, such as a long poll. */
  readonly waitsForTime: boolean;
}

const PATTERNS: readonly string[] = ['request-response', 'sync', 'sync:2', 'waitForTaskToken'];

/** Undefined where the resource is not emulated. */
export function taskResourceOf(arn: string): TaskResource | undefined {
  const base = { service: 'lambda', action: 'invoke', waitsForTime: false } as const;
  if (/^arn:[^:]+:lambda:[^:]*:\d*:function:/.test(arn))
    return { ...base, kind: 'lambda-arn', pattern: 'request-response' };
  const [, name, wanted = 'request-response'] = /^arn:[^:]+:states:::([\w:-]+)(?:\.(.+))?$/.exec(arn) ?? [];
  if (name === undefined || !PATTERNS.includes(wanted)) return undefined;
  const pattern = wanted as TaskResource['pattern'];
  if (name === 'states:startExecution')
    return { ...base, kind: 'start-execution', service: 'states', action: 'startExecution', pattern };
  if (pattern.startsWith('sync')) return undefined;
  if (name === 'lambda:invoke') return { ...base, kind: 'lambda-invoke', pattern };
  const parts = name.split(':');
  const sdk = parts[0] === 'aws-sdk';
  const [service = '', action = '', ...more] = sdk ? parts.slice(1) : parts;
  const known = sdk
    ? Object.hasOwn(SDK_SERVICES, service)
    : OPTIMIZED_SERVICES[service]?.actions.includes(action) === true;
  if (!known || more.length > 0) return undefined;
  const waitsForTime = WAITING_ACTIONS.includes(`${service}:${action}`);
  return { kind: 'sdk', service, action, pattern, waitsForTime, ...(sdk ? {} : { optimized: service }) };
}

/** Refuses, with the state's name, what the service's API does not have or an EXPRESS machine can't do. */
export async function checkTasks(definition: Definition, type: 'STANDARD' | 'EXPRESS'): Promise<void> {
  for (const [name, { Type, Resource }] of statesOf(definition)) {
    const resource = Type === 'Task' ? taskResourceOf(String(Resource)) : undefined;
    if (resource === undefined) continue;
    const refuse = (why: string): InvalidDefinition =>
      new InvalidDefinition(`SCHEMA_VALIDATION_FAILED: state '${name}': the resource ${Resource} ${why}`);
    if (resource.kind === 'sdk' && !(await hasAction(resource)))
      throw refuse(`is not emulated: there is no action ${resource.service}:${resource.action}`);
    if (type === 'EXPRESS' && resource.pattern !== 'request-response')
      throw refuse('can not be used in an EXPRESS state machine');
  }
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
  private readonly calls = new SdkCalls();

  constructor(private readonly options: TaskRunnerOptions) {}

  close(): void {
    this.calls.close();
  }

  /** Throws a failure with the given name when the role may not do it. */
  allow(action: string, resource: string, roleArn: string, error: string): void {
    const { accessKeyId } = this.options.credentialsFor(roleArn);
    const identity: Identity = { accessKeyId, roleArn };
    const refusal = this.options.environment.authorize({ identity, action, resource });
    if (refusal !== undefined) throw new StateFailure(error, refusal);
  }

  async lambda(
    functionArn: string,
    payload: unknown,
    roleArn: string,
  ): Promise<{ payload: unknown; requestId: string }> {
    const arn = this.functionArn(functionArn);
    this.allow('lambda:InvokeFunction', arn, roleArn, 'Lambda.AWSLambdaException');
    let result: Awaited<ReturnType<FunctionInvoker['invoke']>>;
    try {
      result = await this.options.functions.invoke(arn, JSON.stringify(payload ?? {}));
    } catch (error) {
      const { message = String(error) } = error as Partial<Error>;
      if (error instanceof ThrottledError) throw new StateFailure('Lambda.TooManyRequestsException', message);
      throw new StateFailure('Lambda.ResourceNotFoundException', message);
    }
    const value = parsed(result.payload);
    if (result.functionError === undefined) return { payload: value, requestId: result.requestId };
    const { errorType } = (value ?? {}) as { errorType?: unknown };
    throw new StateFailure(
      typeof errorType === 'string' && errorType !== '' ? errorType : 'Lambda.Unknown',
      result.payload,
    );
  }

  sdk(call: SdkCall, input: unknown, roleArn: string): Promise<Record<string, unknown>> {
    const { environment } = this.options;
    return this.calls.call(call, input, {
      endpoint: environment.endpoint(),
      region: environment.region,
      credentials: this.options.credentialsFor(roleArn),
    });
  }

  /** From a name, `ACCOUNT:function:NAME`, or an ARN. */
  private functionArn(given: string): string {
    const { region, account } = this.options.environment;
    if (given.startsWith('arn:')) return given;
    const name = given.includes(':function:') ? given.slice(given.indexOf(':function:') + 10) : given;
    return `arn:aws:lambda:${region}:${account}:function:${name}`;
  }
}

function parsed(payload: string): unknown {
  if (payload === '') return null;
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
