import { Token } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { functionBehind } from './function-behind';
import type { ConsumerMappingOptions } from './recoverable-queue-props';

/** A mapping as it will be, defaults included. */
export interface ConsumerSettings {
  readonly options: ConsumerMappingOptions;
  readonly fifo: boolean;
  readonly batchSize: number;
  readonly windowSeconds: number;
  readonly maxConcurrency: number;
  readonly replayMaxConcurrency: number;
  readonly pollers: { readonly minimum: number; readonly maximum: number } | undefined;
  /** By all mappings of the function together. */
  readonly invocationsAtOnce: number;
}

/** What is wrong with how a function is fed. Values that are tokens are left alone. */
export function consumerProblems(
  path: string,
  consumer: lambda.IFunction,
  settings: ConsumerSettings,
): string[] {
  const { options, fifo, batchSize, windowSeconds, pollers, invocationsAtOnce } = settings;
  const problems: string[] = [];
  const say = (code: string, text: string): void => {
    problems.push(`${code}: ${path}: ${text}`);
  };
  const range = (code: string, name: string, value: number, low: number, high: number): void => {
    if (!Token.isUnresolved(value) && !(Number.isInteger(value) && value >= low && value <= high))
      say(code, `${name} is ${value}; ${low} to ${high.toLocaleString('en')} are allowed`);
  };
  range('BATCH_SIZE_RANGE', 'batchSize', batchSize, 1, fifo ? 10 : 10_000);
  if (batchSize > 10 && windowSeconds < 1 && !fifo)
    say('BATCH_NEEDS_WINDOW', `batchSize ${batchSize} needs a maxBatchingWindow of at least 1 s`);
  if (fifo && windowSeconds > 0) say('FIFO_WINDOW', 'a FIFO queue knows no batching window');
  range('WINDOW_RANGE', 'maxBatchingWindow in seconds', windowSeconds, 0, 300);
  const { maxConcurrency, replayMaxConcurrency } = settings;
  for (const [name, value] of Object.entries({ maxConcurrency, replayMaxConcurrency }))
    if (!Token.isUnresolved(value) && value < 2)
      say('CONCURRENCY_RANGE', `${name} is ${value}; at least 2 are needed`);
  if (pollers !== undefined) {
    range('POLLERS_RANGE', 'provisionedPollers.minimum', pollers.minimum, 2, 200);
    range(
      'POLLERS_RANGE',
      'provisionedPollers.maximum',
      pollers.maximum,
      Math.max(2, pollers.minimum),
      2_000,
    );
    if (options.maxConcurrency !== undefined)
      say(
        'POLLERS_AND_MAXIMUM',
        'provisionedPollers and maxConcurrency exclude each other; give one of them',
      );
  }
  for (const filter of options.filters ?? []) {
    const wrong = wrongFilterKey(filter);
    if (wrong !== undefined)
      say('FILTER_KEY', `a filter on a queue looks at body only, and this one at '${wrong}'`);
  }
  if (options.filters !== undefined && options.dropsNonMatching !== true)
    say('FILTER_DROPS', 'a filter deletes what it does not match; set dropsNonMatching if that is meant');
  const target = functionBehind(consumer);
  const reserved = (target?.node.defaultChild as lambda.CfnFunction | undefined)
    ?.reservedConcurrentExecutions;
  if (typeof reserved === 'number' && !Token.isUnresolved(reserved) && invocationsAtOnce > reserved)
    say(
      'CONCURRENCY_ABOVE_RESERVE',
      `its mappings may call it ${invocationsAtOnce} times at once, but ${reserved} are reserved; lower maxConcurrency or replayMaxConcurrency, or reserve more`,
    );
  return problems;
}

function wrongFilterKey(filter: string): string | undefined {
  if (Token.isUnresolved(filter)) return undefined;
  try {
    return Object.keys(JSON.parse(filter)).find((key) => key !== 'body');
  } catch {
    return filter.slice(0, 40);
  }
}
