import { randomUUID } from 'node:crypto';
import { ResourceError } from '../cloudformation/resource-provider';
import { type InvocationResult, ThrottledError } from '../gateway/ports';
import { bodyOf } from '../gateway/request-body';
import type { Exchange } from '../gateway/service';
import { type Answer, type Call, type Json, LambdaError } from './api-call';
import { type FunctionConfig, functionNameOf } from './function-config';
import type { FunctionPool } from './function-pool';
import type { LambdaControl } from './lambda-control';
import { MappingApi } from './mapping-api';

const MAXIMUM_PAYLOAD_BYTES = 6 * 1024 * 1024;
const ASYNC_RETRIES_MS = [60_000, 120_000];

type Route = readonly [
  method: string,
  path: RegExp,
  action: string,
  run: (call: Call) => Answer | Promise<Answer>,
];

/** The REST API of Lambda, as far as functions and mappings go. https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html */
export class LambdaApi {
  private readonly routes: readonly Route[] = [
    [
      'POST',
      /^\/2015-03-31\/functions\/([^/]+)\/invocations$/,
      'InvokeFunction',
      (call) => this.invoke(call),
    ],
    ['GET', /^\/2015-03-31\/functions\/?$/, 'ListFunctions', () => this.listFunctions()],
    ['GET', /^\/2015-03-31\/functions\/([^/]+)$/, 'GetFunction', (call) => this.getFunction(call)],
    [
      'GET',
      /^\/2015-03-31\/functions\/([^/]+)\/configuration$/,
      'GetFunctionConfiguration',
      (call) => this.getConfiguration(call),
    ],
    [
      'PUT',
      /^\/2015-03-31\/functions\/([^/]+)\/configuration$/,
      'UpdateFunctionConfiguration',
      (call) => this.configure(call),
    ],
    [
      'PUT',
      /^\/2017-10-31\/functions\/([^/]+)\/concurrency$/,
      'PutFunctionConcurrency',
      (call) => this.putConcurrency(call),
    ],
    [
      'GET',
      /^\/2019-09-30\/functions\/([^/]+)\/concurrency$/,
      'GetFunctionConcurrency',
      (call) => this.getConcurrency(call),
    ],
    [
      'DELETE',
      /^\/2017-10-31\/functions\/([^/]+)\/concurrency$/,
      'DeleteFunctionConcurrency',
      (call) => this.deleteConcurrency(call),
    ],
    [
      'POST',
      /^\/2015-03-31\/event-source-mappings\/?$/,
      'CreateEventSourceMapping',
      (call) => this.mappings.createMapping(call),
    ],
    [
      'GET',
      /^\/2015-03-31\/event-source-mappings\/?$/,
      'ListEventSourceMappings',
      (call) => this.mappings.listMappings(call),
    ],
    [
      'GET',
      /^\/2015-03-31\/event-source-mappings\/([^/]+)$/,
      'GetEventSourceMapping',
      (call) => this.mappings.getMapping(call),
    ],
    [
      'PUT',
      /^\/2015-03-31\/event-source-mappings\/([^/]+)$/,
      'UpdateEventSourceMapping',
      (call) => this.mappings.updateMapping(call),
    ],
    [
      'DELETE',
      /^\/2015-03-31\/event-source-mappings\/([^/]+)$/,
      'DeleteEventSourceMapping',
      (call) => this.mappings.deleteMapping(call),
    ],
  ];

  private readonly mappings: MappingApi;

  constructor(private readonly service: LambdaControl) {
    this.mappings = new MappingApi(service);
  }

  async handle(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    let answer: Answer;
    try {
      const [path = '', search] = (request.url ?? '').split('?', 2);
      const route = this.routes.find(([method, shape]) => method === request.method && shape.test(path));
      if (route === undefined)
        throw new LambdaError(404, 'UnknownOperationException', `${request.method} ${path} is not emulated.`);
      const [, shape, action, run] = route;
      const name = decodeURIComponent(shape.exec(path)?.[1] ?? '');
      this.authorize(exchange, action, name);
      answer = await run({ exchange, name, body: await bodyOf(request), query: new URLSearchParams(search) });
    } catch (error) {
      answer = answerOf(error);
    }
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    const empty = answer.status === 204;
    response.writeHead(answer.status, {
      ...(empty ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      'x-amzn-requestid': randomUUID(),
      ...answer.headers,
    });
    response.end(empty ? undefined : body);
  }

  private authorize({ identity }: Exchange, action: string, name: string): void {
    const { environment } = this.service;
    const prefix = `arn:aws:lambda:${environment.region}:${environment.account}`;
    const mapping = action.includes('EventSourceMapping');
    const resource =
      name === ''
        ? '*'
        : mapping
          ? `${prefix}:event-source-mapping:${name}`
          : `${prefix}:function:${functionNameOf(name)}`;
    const refusal = environment.authorize({ identity, action: `lambda:${action}`, resource });
    if (refusal !== undefined) throw new LambdaError(403, 'AccessDeniedException', refusal);
  }

  private async invoke({ exchange, name, body }: Call): Promise<Answer> {
    const { headers } = exchange.request;
    const payload = body.length === 0 ? '{}' : body.toString('utf8');
    const kind = headers['x-amz-invocation-type'] ?? 'RequestResponse';
    this.pool(name);
    if (body.length > MAXIMUM_PAYLOAD_BYTES)
      throw new LambdaError(
        413,
        'RequestTooLargeException',
        `${body.length} byte payload is too large for the event`,
      );
    try {
      JSON.parse(payload);
    } catch {
      throw new LambdaError(400, 'InvalidRequestContentException', 'Could not parse request body into json.');
    }
    if (kind === 'DryRun') return { status: 204 };
    if (kind === 'Event') {
      void this.invokeLater(name, payload);
      return { status: 202, body: '' };
    }
    const result: InvocationResult = await this.service.invoke(name, payload);
    return {
      status: 200,
      body: result.payload,
      headers: {
        'x-amz-executed-version': '$LATEST',
        ...(result.functionError === undefined ? {} : { 'x-amz-function-error': result.functionError }),
        ...(headers['x-amz-log-type'] === 'Tail'
          ? { 'x-amz-log-result': Buffer.from(result.logTail).toString('base64') }
          : {}),
      },
    };
  }

  private async invokeLater(name: string, payload: string): Promise<void> {
    const { clock } = this.service.environment;
    for (const wait of [...ASYNC_RETRIES_MS, undefined]) {
      const result = await this.service.invoke(name, payload).catch(() => undefined);
      if (result !== undefined && result.functionError === undefined) return;
      if (wait !== undefined) await clock.sleep(wait);
    }
  }

  private listFunctions(): Answer {
    return { status: 200, body: { Functions: this.service.all().map(({ config }) => describe(config)) } };
  }

  private getFunction({ name }: Call): Answer {
    const { config } = this.pool(name);
    return {
      status: 200,
      body: {
        Configuration: describe(config),
        Code: { RepositoryType: 'S3', Location: `file://${config.codeFolder}` },
        ...(config.reserved === undefined
          ? {}
          : { Concurrency: { ReservedConcurrentExecutions: config.reserved } }),
      },
    };
  }

  private getConfiguration({ name }: Call): Answer {
    return { status: 200, body: describe(this.pool(name).config) };
  }

  private configure({ name, body }: Call): Answer {
    const pool = this.pool(name);
    const given = JSON.parse(body.toString('utf8')) as Json;
    const variables = (given['Environment'] as Json | undefined)?.['Variables'] as
      | Record<string, string>
      | undefined;
    pool.renew({
      ...pool.config,
      ...(variables === undefined ? {} : { environment: variables }),
      ...(given['Timeout'] === undefined ? {} : { timeout: Number(given['Timeout']) }),
      ...(given['MemorySize'] === undefined ? {} : { memory: Number(given['MemorySize']) }),
      ...(given['Description'] === undefined ? {} : { description: String(given['Description']) }),
    });
    return { status: 200, body: describe(pool.config) };
  }

  private putConcurrency({ name, body }: Call): Answer {
    const pool = this.pool(name);
    const reserved = Number((JSON.parse(body.toString('utf8')) as Json)['ReservedConcurrentExecutions']);
    pool.config = { ...pool.config, reserved };
    return { status: 200, body: { ReservedConcurrentExecutions: reserved } };
  }

  private getConcurrency({ name }: Call): Answer {
    const { reserved } = this.pool(name).config;
    return { status: 200, body: reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved } };
  }

  private deleteConcurrency({ name }: Call): Answer {
    const pool = this.pool(name);
    const { reserved: _, ...rest } = pool.config;
    pool.config = rest;
    return { status: 204 };
  }

  private pool(name: string): FunctionPool {
    const pool = this.service.find(name);
    if (pool === undefined)
      throw new LambdaError(404, 'ResourceNotFoundException', `Function not found: ${functionNameOf(name)}`);
    return pool;
  }
}

function describe(config: FunctionConfig): Json {
  return {
    FunctionName: config.name,
    FunctionArn: config.arn,
    Runtime: config.runtime,
    Role: config.roleArn,
    Handler: config.handler,
    Description: config.description,
    Timeout: config.timeout,
    MemorySize: config.memory,
    Environment: { Variables: config.environment },
    Version: '$LATEST',
    State: 'Active',
    LastUpdateStatus: 'Successful',
    PackageType: 'Zip',
  };
}

function answerOf(error: unknown): Answer {
  const refused = (status: number, code: string, message: string): Answer => ({
    status,
    body: { Type: 'User', Message: message, message },
    headers: { 'x-amzn-errortype': code },
  });
  if (error instanceof LambdaError) return refused(error.status, error.code, error.message);
  if (error instanceof ThrottledError) return refused(429, 'TooManyRequestsException', error.message);
  if (error instanceof ResourceError) return refused(400, 'InvalidParameterValueException', error.message);
  throw error;
}
