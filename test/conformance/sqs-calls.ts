import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs';
import type { Bench } from './check';

/** Short forms of the calls that most checks make. */
export class Calls {
  constructor(readonly bench: Bench) {}

  async queue(attributes: Record<string, string> = {}): Promise<string> {
    const fifo = attributes['FifoQueue'] === 'true';
    const { QueueUrl } = await this.bench.sqs.send(
      new CreateQueueCommand({ QueueName: this.bench.name(fifo ? '.fifo' : ''), Attributes: attributes }),
    );
    return QueueUrl ?? '';
  }

  async pair(
    maxReceiveCount: number,
    fifo = false,
  ): Promise<{ source: string; dead: string; deadArn: string; sourceArn: string }> {
    const type = fifo ? { FifoQueue: 'true' } : {};
    const dead = await this.queue(type);
    const deadArn = await this.arn(dead);
    const source = await this.queue({
      ...type,
      VisibilityTimeout: '1',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount }),
    });
    return { source, dead, deadArn, sourceArn: await this.arn(source) };
  }

  async arn(url: string): Promise<string> {
    return (await this.attributes(url))['QueueArn'] ?? '';
  }

  async attributes(url: string): Promise<Record<string, string>> {
    const { Attributes } = await this.bench.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
    );
    return Attributes ?? {};
  }

  async depth(url: string): Promise<[number, number, number]> {
    const all = await this.attributes(url);
    return [
      Number(all['ApproximateNumberOfMessages']),
      Number(all['ApproximateNumberOfMessagesNotVisible']),
      Number(all['ApproximateNumberOfMessagesDelayed']),
    ];
  }

  async send(url: string, body: string, more: Partial<SendMessageCommandInput> = {}) {
    return this.bench.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body, ...more }));
  }

  async sendBatch(url: string, bodies: readonly string[], ids = bodies.map((_, index) => `i${index}`)) {
    return this.bench.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: url,
        Entries: bodies.map((MessageBody, index) => ({ Id: ids[index], MessageBody })),
      }),
    );
  }

  async receive(url: string, more: object = {}): Promise<Message[]> {
    const { Messages } = await this.bench.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...more,
      }),
    );
    return Messages ?? [];
  }

  async remove(url: string, message: Message | undefined): Promise<void> {
    await this.bench.sqs.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }),
    );
  }

  async hide(url: string, message: Message | undefined, seconds: number): Promise<void> {
    await this.bench.sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: message?.ReceiptHandle,
        VisibilityTimeout: seconds,
      }),
    );
  }
}
