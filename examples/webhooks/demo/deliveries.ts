import { createHash } from 'node:crypto';
import type { WebhookDefinition } from '@octokit/webhooks-examples';

/** One webhook as GitHub would deliver it. */
export interface Delivery {
  /** X-GitHub-Delivery: the same when GitHub delivers again. */
  readonly deliveryId: string;
  /** X-GitHub-Event. */
  readonly event: string;
  readonly body: string;
}

export interface Deliveries {
  /** In the order of sending; some ids occur twice, as GitHub delivers again after a slow answer. */
  readonly all: readonly Delivery[];
  readonly uniqueIds: ReadonlySet<string>;
  readonly repeated: number;
  readonly notJson: number;
}

const REPEAT_EVERY = 12;
const NOT_JSON = [
  '<html><body>502 Bad Gateway</body></html>',
  ' ',
  '{"action":"opened","issue":',
  'ping',
  'action=opened&number=7',
];

/** The real payloads of `@octokit/webhooks-examples`, some delivered twice, and a few bodies that are not JSON. */
export function buildDeliveries(): Deliveries {
  const definitions: readonly WebhookDefinition[] = require('@octokit/webhooks-examples');
  const once: Delivery[] = [];
  for (const { name, examples } of definitions)
    for (const [index, example] of examples.entries())
      once.push({ deliveryId: guid(`${name}-${index}`), event: name, body: JSON.stringify(example) });
  const broken = NOT_JSON.map((body, index) => ({
    deliveryId: guid(`broken-${index}`),
    event: 'issues',
    body,
  }));
  const repeated = once.filter((_, index) => index % REPEAT_EVERY === 0);
  const all = interleave(once, [...broken, ...repeated]);
  return {
    all,
    uniqueIds: new Set(all.map(({ deliveryId }) => deliveryId)),
    repeated: repeated.length,
    notJson: broken.length,
  };
}

function interleave(many: readonly Delivery[], few: readonly Delivery[]): Delivery[] {
  const step = Math.max(1, Math.floor(many.length / few.length));
  const result: Delivery[] = [];
  let next = 0;
  for (const [index, delivery] of many.entries()) {
    result.push(delivery);
    const other = few[next];
    if (index % step === step - 1 && other !== undefined) {
      result.push(other);
      next++;
    }
  }
  return [...result, ...few.slice(next)];
}

/** A stable id in the form that GitHub uses, so that two runs of the demo can be compared. */
function guid(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
