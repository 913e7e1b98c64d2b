import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Check, Difference } from './check';
import { DYNAMODB_CHECKS } from './dynamodb-checks';
import { SQS_MESSAGE_CHECKS } from './sqs-message-checks';
import { SQS_QUEUE_CHECKS } from './sqs-queue-checks';

export const SUITES = {
  sqs: [...SQS_MESSAGE_CHECKS, ...SQS_QUEUE_CHECKS],
  dynamodb: DYNAMODB_CHECKS,
} as const;

export interface CheckResult {
  readonly check: Check;
  /** Undefined: as AWS documents it. */
  readonly difference?: string;
}

const AT_ONCE = 8;
const LONGEST_MS = 30_000;

/** Runs checks against any endpoint that speaks the protocols, several at once: each has its own queues and tables. */
export async function runBattery(endpoint: string, checks: readonly Check[]): Promise<CheckResult[]> {
  const config = {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  };
  const sqs = new SQSClient(config);
  const dynamoDb = new DynamoDBClient(config);
  const results: CheckResult[] = new Array(checks.length);
  let index = 0;
  const worker = async (): Promise<void> => {
    for (let mine = index++; mine < checks.length; mine = index++) {
      const check = checks[mine] as Check;
      const bench = { sqs, dynamoDb, name: (suffix = '') => `check-${randomUUID()}${suffix}` };
      try {
        await limited(check.run(bench));
        results[mine] = { check };
      } catch (error) {
        const difference =
          error instanceof Difference
            ? error.message
            : `${(error as Error).name}: ${(error as Error).message}`;
        results[mine] = { check, difference: difference.slice(0, 300) };
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  sqs.destroy();
  dynamoDb.destroy();
  return results;
}

function limited(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Difference(`no end within ${LONGEST_MS / 1000} s`)), LONGEST_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
