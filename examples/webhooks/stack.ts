import * as path from 'node:path';
import { CfnOutput, CfnParameter, Stack, type StackProps } from 'aws-cdk-lib';
import { NodeConsumer, RecoverableQueue } from 'cdk-redrive';
import type { Construct } from 'constructs';

export interface WebhookStackProps extends StackProps {
  /** Source file of the consumer. Default: the one of this example. */
  readonly consumerEntry?: string;
}

/** Webhooks of GitHub: a queue, a consumer, and everything that happens when it fails. */
export class WebhookStack extends Stack {
  constructor(scope: Construct, id: string, { consumerEntry, ...props }: WebhookStackProps = {}) {
    super(scope, id, props);
    const downstreamUrl = new CfnParameter(this, 'DownstreamUrl', {
      description: 'Where webhooks are handed on to',
      default: 'https://example.invalid/webhooks',
    });

    const webhooks = new RecoverableQueue(this, 'Webhooks', {
      queueName: 'webhooks',
      owner: 'integrations team',
      runbookUrl: 'https://example.invalid/runbooks/webhooks',
    });
    const consumer = new NodeConsumer(this, 'Consumer', {
      entry: consumerEntry ?? path.join(__dirname, 'consumer.ts'),
      environment: { DOWNSTREAM_URL: downstreamUrl.valueAsString },
      bundling: { tsconfig: path.join(__dirname, '../../test/tsconfig.json') },
    });
    webhooks.addConsumer(consumer, { maxConcurrency: 4, replayMaxConcurrency: 2 });

    new CfnOutput(this, 'QueueUrl', { value: webhooks.sourceQueue.queueUrl });
  }
}
