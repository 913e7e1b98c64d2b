import { randomUUID } from 'node:crypto';
import { ResourceError } from '../cloudformation/resource-provider';
import { ThrottledError } from '../gateway/ports';
import { bodyOf } from '../gateway/request-body';
import type { Exchange } from '../gateway/service';
import { type Answer, type Call, LambdaError } from './api-call';
import { FunctionApi } from './function-api';
import { functionNameOf, qualifierOf } from './function-config';
import { InvokeApi } from './invoke-api';
import type { LambdaControl } from './lambda-control';
import { MappingApi } from './mapping-api';

type Run = (call: Call) => Answer | Promise<Answer>;
type Route = readonly [method: string, path: RegExp, action: string, run: Run];

/** The REST API of Lambda, as far as functions and mappings go. https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html */
export class LambdaApi {
  private readonly routes: readonly Route[];

  constructor(private readonly service: LambdaControl) {
    const functions = new FunctionApi(service);
    const mappings = new MappingApi(service);
    const invoking = new InvokeApi(service);
    const route = (method: string, path: string, action: string, run: Run): Route => [
      method,
      new RegExp(`^${path.replaceAll('*', '([^/]+)')}/?$`),
      action,
      run,
    ];
    const all = '/2015-03-31/functions';
    const sources = '/2015-03-31/event-source-mappings';
    this.routes = [
      route('POST', `${all}/*/invocations`, 'InvokeFunction', (call) => invoking.invoke(call)),
      route('GET', all, 'ListFunctions', () => functions.list()),
      route('GET', `${all}/*`, 'GetFunction', (call) => functions.get(call)),
      route('GET', `${all}/*/configuration`, 'GetFunctionConfiguration', (call) =>
        functions.configuration(call),
      ),
      route('PUT', `${all}/*/configuration`, 'UpdateFunctionConfiguration', (call) =>
        functions.configure(call),
      ),
      route('GET', `${all}/*/versions`, 'ListVersionsByFunction', (call) => functions.versions(call)),
      route('GET', `${all}/*/aliases`, 'ListAliases', (call) => functions.aliases(call)),
      route('GET', `${all}/*/aliases/*`, 'GetAlias', (call) => functions.alias(call)),
      route('PUT', '/2017-10-31/functions/*/concurrency', 'PutFunctionConcurrency', (call) =>
        functions.reserve(call),
      ),
      route('GET', '/2019-09-30/functions/*/concurrency', 'GetFunctionConcurrency', (call) =>
        functions.reserved(call),
      ),
      route('DELETE', '/2017-10-31/functions/*/concurrency', 'DeleteFunctionConcurrency', (call) =>
        functions.unreserve(call),
      ),
      route('GET', '/2016-08-19/account-settings', 'GetAccountSettings', () => functions.account()),
      route('POST', sources, 'CreateEventSourceMapping', (call) => mappings.createMapping(call)),
      route('GET', sources, 'ListEventSourceMappings', (call) => mappings.listMappings(call)),
      route('GET', `${sources}/*`, 'GetEventSourceMapping', (call) => mappings.getMapping(call)),
      route('PUT', `${sources}/*`, 'UpdateEventSourceMapping', (call) => mappings.updateMapping(call)),
      route('DELETE', `${sources}/*`, 'DeleteEventSourceMapping', (call) => mappings.deleteMapping(call)),
    ];
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
      const [, given = '', part = ''] = shape.exec(path) ?? [];
      const query = new URLSearchParams(search);
      const name = decodeURIComponent(given);
      this.authorize(exchange, action, name, query.get('Qualifier') ?? undefined);
      answer = await run({
        exchange,
        name,
        part: decodeURIComponent(part),
        body: await bodyOf(request),
        query,
      });
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

  private authorize(
    { identity }: Exchange,
    action: string,
    name: string,
    qualifier = qualifierOf(name),
  ): void {
    const { environment } = this.service;
    const prefix = `arn:aws:lambda:${environment.region}:${environment.account}`;
    // A call by version or alias needs the right on just that: a policy on the bare function does not give it.
    const ending = qualifier === undefined ? '' : `:${qualifier}`;
    const resource =
      name === ''
        ? '*'
        : action.includes('EventSourceMapping')
          ? `${prefix}:event-source-mapping:${name}`
          : `${prefix}:function:${functionNameOf(name)}${ending}`;
    const refusal = environment.authorize({ identity, action: `lambda:${action}`, resource });
    if (refusal !== undefined) throw new LambdaError(403, 'AccessDeniedException', refusal);
  }
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
  if (error instanceof SyntaxError)
    return refused(400, 'InvalidRequestContentException', 'Could not parse request body into json.');
  throw error;
}
