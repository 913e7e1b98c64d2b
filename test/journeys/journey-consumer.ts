import { consumer, permanent, transient } from 'cdk-redrive/handler';

/** What a test message asks the consumer to do. */
export interface Order {
  readonly sku: string;
  /** Attempts of each life that end in a passing failure. */
  readonly transientFailures?: number;
}

export const handler = consumer<Order>({
  retry: {
    baseSeconds: 5,
    maximumSeconds: 20,
    jitter: 'none',
    attempts: Number(process.env['ATTEMPTS'] ?? 5),
  },
  async process({ sku, transientFailures = 0 }, { attempt, operationId }) {
    if (attempt <= transientFailures) throw transient('HTTP_503', { reason: 'the carrier is down' });
    const response = await fetch(process.env['CARRIER_URL'] ?? '', {
      method: 'POST',
      body: JSON.stringify({ sku, operationId }),
    });
    if (response.status === 422) throw permanent('SKU_UNKNOWN', { reason: `sku "${sku}" is unknown` });
    if (!response.ok) throw transient(`HTTP_${response.status}`);
  },
});
