import { Token } from 'aws-cdk-lib';
import type { WiredConsumer } from './consumer-wiring';
import type { RecoverableQueueProps } from './recoverable-queue-props';

const FORTNIGHT = 14 * 24 * 3600;

/** What is wrong with the props of a queue, before a template is made. Values that are tokens are left alone. */
export function queueProblems(
  path: string,
  props: RecoverableQueueProps,
  consumers: readonly WiredConsumer[],
): string[] {
  const { maxMessageSizeBytes, fifo, contentBasedDeduplication, deadLetterQueue: shared } = props;
  const problems = receiveCountProblems(path, props.maxReceiveCount ?? 5, props.lowReceiveCountReason);
  const say = (code: string, text: string): void => {
    problems.push(`${code}: ${path}: ${text}`);
  };
  const source = props.retentionPeriod?.toSeconds() ?? 4 * 24 * 3600;
  const deadLetter = (shared?.retentionPeriod ?? props.deadLetterRetentionPeriod)?.toSeconds() ?? FORTNIGHT;
  if (source < 60) say('RETENTION_RANGE', `the source can keep messages for 60 s at least, not ${source} s`);
  if (source >= deadLetter)
    say(
      'RETENTION_ORDER',
      `retention of the source (${source} s) must be below that of the dead-letter queue (${deadLetter} s): the clock runs from the first send`,
    );
  if (deadLetter > FORTNIGHT)
    say(
      'RETENTION_RANGE',
      `the dead-letter queue can keep messages for ${FORTNIGHT} s at most, not ${deadLetter} s`,
    );
  if (
    maxMessageSizeBytes !== undefined &&
    known(maxMessageSizeBytes) &&
    (maxMessageSizeBytes < 1_024 || maxMessageSizeBytes > 1_048_576)
  )
    say(
      'MESSAGE_SIZE_RANGE',
      `maxMessageSizeBytes is ${maxMessageSizeBytes}; 1,024 to 1,048,576 are allowed`,
    );
  if (contentBasedDeduplication === true && fifo !== true)
    say('DEDUPLICATION_NEEDS_FIFO', 'contentBasedDeduplication is for FIFO queues; set fifo');
  if (shared !== undefined && props.deadLetterRetentionPeriod !== undefined)
    say(
      'SETTING_WITHOUT_EFFECT',
      'deadLetterRetentionPeriod is that of the shared dead-letter queue; set it there',
    );
  return [...problems, ...visibilityProblems(path, props.visibilityTimeout?.toSeconds(), consumers)];
}

/** Field rules F04 and F07. */
export function receiveCountProblems(path: string, count: number, reason: string | undefined): string[] {
  if (!known(count)) return [];
  if (!Number.isInteger(count) || count < 1 || count > 1_000)
    return [`RECEIVE_COUNT_RANGE: ${path}: maxReceiveCount is ${count}; 1 to 1,000 are allowed`];
  if (count < 3 && (reason ?? '').trim() === '')
    return [
      `RECEIVE_COUNT_LOW: ${path}: maxReceiveCount is ${count}: throttles and crashes use receives up without an attempt; raise it to 3 or more, or give lowReceiveCountReason`,
    ];
  return [];
}

/** Field rules F01 and F02. */
export function visibilityProblems(
  path: string,
  visibility: number | undefined,
  consumers: readonly WiredConsumer[],
): string[] {
  const problems: string[] = [];
  const longest = Math.max(0, ...consumers.map(({ leastVisibilitySeconds }) => leastVisibilitySeconds));
  if ((visibility ?? longest) > 43_200)
    problems.push(
      `VISIBILITY_RANGE: ${path}: visibilityTimeout is ${visibility ?? longest} s; up to 43,200 s are allowed`,
    );
  for (const consumer of consumers)
    if (visibility !== undefined && visibility < consumer.leastVisibilitySeconds)
      problems.push(
        `VISIBILITY_TOO_SHORT: ${path}: visibilityTimeout is ${visibility} s, but ${consumer.path} needs ${consumer.leastVisibilitySeconds} s: six times its timeout of ${consumer.timeoutSeconds} s plus its window of ${consumer.windowSeconds} s`,
      );
  return problems;
}

function known(value: number): boolean {
  return !Token.isUnresolved(value);
}
