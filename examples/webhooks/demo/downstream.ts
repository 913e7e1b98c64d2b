import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DownstreamCounts {
  accepted: number;
  unavailable: number;
  rateLimited: number;
  rejected: number;
}

/** Event types that this service does not know until it is mended: the cause that the operator will find. */
const UNKNOWN_EVENTS = new Set(['sponsorship', 'projects_v2_item', 'merge_group', 'discussion']);
const RATE_LIMIT_EVERY = 40;
const RETRY_AFTER_SECONDS = 7;

/**
 * The service behind the consumer: it has an outage, answers 429 with Retry-After at times, and rejects event
 * types that it does not know. It applies every accepted request, without looking for duplicates itself, so
 * that a second business effect of one delivery shows.
 */
export class Downstream {
  readonly counts: DownstreamCounts = { accepted: 0, unavailable: 0, rateLimited: 0, rejected: 0 };
  /** Business effects by delivery id: each must end at exactly one. */
  readonly effects = new Map<string, number>();
  private outageUntil = 0;
  private mended = false;
  private requests = 0;
  private server: Server | undefined;

  constructor(private readonly now: () => number) {}

  async start(): Promise<string> {
    this.server = createServer((request, response) => void this.answer(request, response));
    const server = this.server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve(undefined)));
  }

  breakFor(ms: number): void {
    this.outageUntil = this.now() + ms;
  }

  /** The release that teaches the service the event types it rejected. */
  mend(): void {
    this.mended = true;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const _ of request);
    const event = String(request.headers['x-github-event'] ?? '');
    const deliveryId = String(request.headers['idempotency-key'] ?? '');
    this.requests++;
    if (this.now() < this.outageUntil) {
      this.counts.unavailable++;
      return end(response, 503, { error: 'down for maintenance' });
    }
    if (this.requests % RATE_LIMIT_EVERY === 0) {
      this.counts.rateLimited++;
      return end(response, 429, { error: 'slow down' }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
    }
    if (UNKNOWN_EVENTS.has(event) && !this.mended) {
      this.counts.rejected++;
      return end(response, 422, { error: `event type ${event} is not known` });
    }
    this.counts.accepted++;
    this.effects.set(deliveryId, (this.effects.get(deliveryId) ?? 0) + 1);
    return end(response, 201, { stored: deliveryId });
  }
}

function end(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
