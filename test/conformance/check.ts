import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';

/** What a check works with; each makes its own queues and tables. */
export interface Bench {
  readonly sqs: SQSClient;
  readonly dynamoDb: DynamoDBClient;
  /** A name that no other check uses. */
  name(suffix?: string): string;
}

/** One documented behaviour of AWS. It throws when the implementation behaves otherwise. */
export interface Check {
  readonly name: string;
  /** Page of AWS's documentation that says so. */
  readonly source: string;
  run(bench: Bench): Promise<void>;
}

export class Difference extends Error {
  override readonly name = 'Difference';
}

export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  const [a, b] = [canonical(actual), canonical(expected)];
  if (a !== b) throw new Difference(`${what}: expected ${b}, found ${a}`);
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Difference(what);
}

/** The call must be refused, with one of the names. */
export async function refused(call: Promise<unknown>, ...names: string[]): Promise<void> {
  let error: { name?: string; Code?: string; Error?: { Code?: string } } | undefined;
  try {
    await call;
  } catch (thrown) {
    error = thrown as typeof error & object;
  }
  if (error === undefined) throw new Difference(`expected ${names.join(' or ')}, and the call succeeded`);
  const given = [error.name, error.Code, error.Error?.Code].map((name) =>
    String(name ?? '').replace(/Exception$/, ''),
  );
  if (!names.some((name) => given.some((one) => one.endsWith(name.replace(/Exception$/, '')))))
    throw new Difference(`expected ${names.join(' or ')}, found ${given.join(', ')}`);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !(inner instanceof Uint8Array)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}
