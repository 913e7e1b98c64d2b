import { Token } from 'aws-cdk-lib';
import type { WiredConsumer } from './consumer-wiring';
import type { RecoverableQueueProps } from './recoverable-queue-props';

const FORTNIGHT = 14 * 24 * 3600;

/** Everything that is wrong with a queue, in one report, before a template is made. Values that are tokens are left alone. */
export function queueProblems(
  path: string,
  props: RecoverableQueueProps,
  consumers: readonly WiredConsumer[],
): string[] {
  const problems: string[] = [];
  const say = (code: string, text: string): void => {
    problems.push(`${code}: ${path}: ${text}`);
  };
  const {
    maxReceiveCount = 5,
    lowReceiveCountReason,
    maxMessageSizeBytes,
    fifo,
    contentBasedDeduplication,
  } = props;
  if (known(maxReceiveCount)) {
    if (!Number.isInteger(maxReceiveCount) || maxReceiveCount < 1 || maxReceiveCount > 1_000)
      say('RECEIVE_COUNT_RANGE', `maxReceiveCount is ${maxReceiveCount}; 1 to 1,000 are allowed`);
    else if (maxReceiveCount < 3 && !lowReceiveCountReason)
      say(
        'RECEIVE_COUNT_LOW',
        `maxReceiveCount is ${maxReceiveCount}: throttles and crashes use receives up without an attempt; raise it to 3 or more, or give lowReceiveCountReason`,
      );
  }
  const source = props.retentionPeriod?.toSeconds() ?? 4 * 24 * 3600;
  const deadLetter = props.deadLetterRetentionPeriod?.toSeconds() ?? FORTNIGHT;
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
  const visibility = props.visibilityTimeout?.toSeconds();
  if (visibility !== undefined && visibility > 43_200)
    say('VISIBILITY_RANGE', `visibilityTimeout is ${visibility} s; up to 43,200 s are allowed`);
  for (const consumer of consumers) {
    if (visibility !== undefined && visibility < consumer.leastVisibilitySeconds)
      say(
        'VISIBILITY_TOO_SHORT',
        `visibilityTimeout is ${visibility} s, but ${consumer.path} needs ${consumer.leastVisibilitySeconds} s: six times its timeout of ${consumer.timeoutSeconds} s plus its window of ${consumer.windowSeconds} s`,
      );
    problems.push(...consumer.problems());
  }
  if (consumers.filter(({ filtered }) => filtered).length > 0 && consumers.length > 1)
    say('FILTERS_COMPETE', "two consumers of one queue, one of them filtered, delete each other's messages");
  return problems;
}

function known(value: number): boolean {
  return !Token.isUnresolved(value);
}
