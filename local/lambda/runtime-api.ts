import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyOf } from '../gateway/request-body';

export interface PendingInvocation {
  readonly requestId: string;
  readonly payload: string;
  readonly functionArn: string;
  readonly deadlineMs: number;
  readonly nowMs: number;
}

export interface InvocationAnswer {
  readonly kind: 'response' | 'error';
  readonly body: string;
  /** Output streams that carry a mark behind the last line of the invocation. */
  readonly streams: number;
  /** Peak memory of the process so far. */
  readonly memoryKb: number;
}

/** What one execution environment tells the engine. */
export interface RuntimeClient {
  /** Asks for work; the engine answers through the callback when there is some. */
  next(answer: (invocation: PendingInvocation) => void): void;
  finished(requestId: string, answer: InvocationAnswer): void;
  initFailed(body: string): void;
}

const ROUTE =
  /^\/([^/]+)\/2018-06-01\/runtime\/(invocation\/next|init\/error|invocation\/([^/]+)\/(response|error))$/;

/** https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, for all environments on one port. */
export class RuntimeApi {
  private readonly clients = new Map<string, RuntimeClient>();
  private server: Server | undefined;
  private port = 0;
  private starting: Promise<void> | undefined;

  start(): Promise<void> {
    this.starting ??= this.listen();
    return this.starting;
  }

  private async listen(): Promise<void> {
    this.server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
      void this.serve(request, response);
    });
    const { server } = this;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    this.starting = undefined;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** Value of AWS_LAMBDA_RUNTIME_API for the environment. */
  addressOf(environmentId: string): string {
    return `127.0.0.1:${this.port}/${environmentId}`;
  }

  register(environmentId: string, client: RuntimeClient): void {
    this.clients.set(environmentId, client);
  }

  forget(environmentId: string): void {
    this.clients.delete(environmentId);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = '', action = '', requestId = '', kind] = ROUTE.exec(request.url ?? '') ?? [];
    const client = this.clients.get(id);
    if (client === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (action === 'invocation/next') {
      client.next((invocation) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          'lambda-runtime-aws-request-id': invocation.requestId,
          'lambda-runtime-deadline-ms': String(invocation.deadlineMs),
          'lambda-runtime-invoked-function-arn': invocation.functionArn,
          'local-engine-now': String(invocation.nowMs),
        });
        response.end(invocation.payload);
      });
      return;
    }
    let body: string;
    try {
      body = (await bodyOf(request)).toString('utf8');
    } catch {
      // The process died while it answered; its exit tells the rest.
      return;
    }
    response.writeHead(202).end();
    if (action === 'init/error') client.initFailed(body);
    else
      client.finished(requestId, {
        kind: kind as 'response' | 'error',
        body,
        streams: Number(request.headers['local-engine-streams'] ?? 1),
        memoryKb: Number(request.headers['local-engine-memory-kb'] ?? 0),
      });
  }
}
