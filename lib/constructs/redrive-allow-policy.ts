import { ArnFormat, Stack } from 'aws-cdk-lib';
import type * as sqs from 'aws-cdk-lib/aws-sqs';

/**
 * Lets exactly these sources dead-letter into the queue. By name, not by reference: the sources refer to the dead-letter
 * queue, and with references on both sides the template would be a circle (field rule F44).
 */
export function allowSources(deadLetterQueue: sqs.Queue, sources: readonly sqs.Queue[]): void {
  const stack = Stack.of(deadLetterQueue);
  const resource = deadLetterQueue.node.defaultChild as sqs.CfnQueue;
  resource.redriveAllowPolicy = {
    redrivePermission: 'byQueue',
    sourceQueueArns: sources.map((source) =>
      stack.formatArn({
        service: 'sqs',
        resource: String((source.node.defaultChild as sqs.CfnQueue).queueName),
        arnFormat: ArnFormat.NO_RESOURCE_NAME,
      }),
    ),
  };
}
