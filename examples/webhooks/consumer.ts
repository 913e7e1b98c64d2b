import { consumer, permanent, retryAfter, transient } from 'cdk-redrive/handler';
import { contractBreach } from './payload-contract';

/** Hands GitHub's webhooks on to a service that is not always well. The delivery id is the operation: GitHub delivers some twice. */
export const handler = consumer<{ readonly action?: unknown }>({
  operationId: (_payload, { attributes }) => String(attributes['X-GitHub-Delivery'] ?? ''),
  messageType: (_payload, { attributes }) => String(attributes['X-GitHub-Event'] ?? 'unknown'),
  retry: { baseSeconds: 20, maximumSeconds: 300, attempts: 5, jitter: 'equal' },

  async process(payload, { messageType = 'unknown', operationId, signal }) {
    const breach = contractBreach(messageType, payload);
    if (breach !== undefined) throw permanent('CONTRACT_BROKEN', { reason: breach });

    const response = await fetch(process.env['DOWNSTREAM_URL'] ?? '', {
      method: 'POST',
      body: JSON.stringify(payload),
      headers: {
        'content-type': 'application/json',
        'x-github-event': messageType,
        'idempotency-key': operationId,
      },
      signal,
    });
    if (response.status === 429)
      throw retryAfter(Number(response.headers.get('retry-after') ?? 30), 'DOWNSTREAM_BUSY');
    if (response.status >= 500) throw transient('DOWNSTREAM_DOWN');
    if (response.status === 422)
      throw permanent('EVENT_REJECTED', { reason: `${messageType} is not accepted` });
    if (!response.ok) throw new Error(`the downstream answered ${response.status}`);
  },
});
