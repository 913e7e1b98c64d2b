import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock/clock';
import { answerWithError } from './aws-error';
import type { Identities } from './identities';
import { credentialOf, type Scope, scopeOfCredential, scopeOfUnsigned } from './routing';
import { ServedExchange } from './served-exchange';
import type { LocalService } from './service';

/** Longer than any client keeps an idle connection, so that the client is the one that closes it. */
const KEEP_ALIVE_MS = 120_000;
const GRACE_MS = 2_000;
/** A signer changes its scope once a day and role, so this is far above what a run needs. */
const REMEMBERED_SCOPES = 1_000;

export interface GatewayOptions {
  readonly clock: Clock;
  readonly identities: Identities;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Hears of a service that threw, which is a fault of the engine. */
  onFailure?(signingName: string, error: unknown): void;
}

/** The one HTTP server of the engine. It listens on 127.0.0.1 and nowhere else. */
export class Gateway {
  private readonly server: Server;
  private readonly services = new Map<string, LocalService>();
  private readonly scopes = new Map<string, Scope>();
  private readonly active = new Set<ServedExchange>();
  private port: number | undefined;
  private drained: (() => void) | undefined;
  private stopping: Promise<void> | undefined;

  constructor(private readonly options: GatewayOptions) {
    this.server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) =>
      this.serve(request, response),
    );
  }

  register(service: LocalService): void {
    if (this.services.has(service.signingName))
      throw new Error(`two services are named ${service.signingName}`);
    this.services.set(service.signingName, service);
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.options.port ?? 0, '127.0.0.1', () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:PORT`. Throws before `listen` has ended. */
  endpoint(): string {
    if (this.port === undefined) throw new Error('the gateway does not listen yet');
    return `http://127.0.0.1:${this.port}`;
  }

  /** Takes no new connection, lets what is under way end for up to two seconds, then closes the rest. */
  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  private async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    if (this.busy()) {
      const drained = new Promise<void>((resolve) => {
        this.drained = resolve;
      });
      const grace = AbortSignal.timeout(GRACE_MS);
      await Promise.race([
        drained,
        new Promise<void>((resolve) => grace.addEventListener('abort', () => resolve(), { once: true })),
      ]);
    }
    this.server.closeAllConnections();
    await closed;
  }

  private busy(): boolean {
    for (const exchange of this.active) if (!exchange.isWaiting) return true;
    return false;
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const { accessKeyId, signingName } = this.scopeOf(request);
    const service = signingName === undefined ? undefined : this.services.get(signingName);
    if (service === undefined) {
      request.resume();
      answerWithError(request, response, this.unknown(signingName, request.url ?? '/'), signingName);
      return;
    }
    const identity = this.options.identities.identityOf(accessKeyId);
    const exchange = new ServedExchange(request, response, identity, this.options.clock);
    this.active.add(exchange);
    response.once('close', () => {
      exchange.end();
      this.active.delete(exchange);
      if (this.drained !== undefined && !this.busy()) this.drained();
    });
    let handled: void | Promise<void>;
    try {
      handled = service.handle(exchange);
    } catch (error) {
      this.fail(exchange, service.signingName, error);
      return;
    }
    if (handled !== undefined) handled.catch((error) => this.fail(exchange, service.signingName, error));
  }

  private scopeOf(request: IncomingMessage): Scope {
    const credential = credentialOf(request.headers.authorization);
    if (credential === undefined) return scopeOfUnsigned(request.url ?? '/', request.headers);
    let scope = this.scopes.get(credential);
    if (scope === undefined) {
      if (this.scopes.size >= REMEMBERED_SCOPES) this.scopes.clear();
      scope = scopeOfCredential(credential);
      this.scopes.set(credential, scope);
    }
    return scope;
  }

  private fail(exchange: ServedExchange, signingName: string, error: unknown): void {
    this.options.onFailure?.(signingName, error);
    const { request, response } = exchange;
    if (response.headersSent) response.destroy();
    else {
      const message = error instanceof Error ? error.message : String(error);
      answerWithError(request, response, { status: 500, code: 'InternalFailure', message }, signingName);
    }
  }

  private unknown(signingName: string | undefined, url: string) {
    const served = [...this.services.keys()].sort().join(', ');
    return {
      status: 400,
      code: 'UnknownService',
      message:
        signingName === undefined
          ? `Nothing says which service ${url} is for: sign the request. Served here: ${served}.`
          : `The local engine does not emulate the service '${signingName}'. Served here: ${served}.`,
    };
  }
}
