import { consumer, permanent, transient } from 'cdk-redrive/handler';

/** A consumer without idempotency, for the demo that shows how a second business effect is found out. */
export const handler = consumer<object>({
  operationId: (_payload, { attributes }) => String(attributes['X-GitHub-Delivery'] ?? ''),
  messageType: (_payload, { attributes }) => String(attributes['X-GitHub-Event'] ?? 'unknown'),
  idempotency: false,
  async process(payload, { messageType = 'unknown', operationId }) {
    const response = await fetch(process.env['DOWNSTREAM_URL'] ?? '', {
      method: 'POST',
      body: JSON.stringify(payload),
      headers: { 'x-github-event': messageType, 'idempotency-key': operationId },
    });
    if (response.status === 422) throw permanent('EVENT_REJECTED');
    if (!response.ok) throw transient(`DOWNSTREAM_${response.status}`);
  },
});
