import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  type QueueAttributeName,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { SimulatedClock } from '../../../local/clock/simulated-clock';
import { Gateway } from '../../../local/gateway/gateway';
import { Identities } from '../../../local/gateway/identities';
import type { Authorize, EngineEvent } from '../../../local/gateway/service';
import { createSqs, type SqsService } from '../../../local/sqs/sqs';
import { fakeEnvironment } from '../fake-environment';

/** SQS behind a real gateway, in simulated time, with a client that does not retry. */
export class TestSqs {
  readonly clock = new SimulatedClock();
  readonly events: EngineEvent[] = [];
  readonly identities = new Identities();
  private readonly gateway = new Gateway({ clock: this.clock, identities: this.identities });
  service!: SqsService;
  client!: SQSClient;

  static async start(options: { authorize?: Authorize; dataFolder?: string } = {}): Promise<TestSqs> {
    const test = new TestSqs();
    await test.gateway.listen();
    test.service = createSqs(
      fakeEnvironment({
        clock: test.clock,
        endpoint: () => test.gateway.endpoint(),
        emit: (event) => test.events.push(event),
        ...options,
      }),
    );
    test.gateway.register(test.service);
    test.client = test.clientAs('person');
    return test;
  }

  clientAs(accessKeyId: string): SQSClient {
    return new SQSClient({
      endpoint: this.gateway.endpoint(),
      region: 'eu-west-1',
      credentials: { accessKeyId, secretAccessKey: 'none' },
      maxAttempts: 1,
    });
  }

  async createQueue(
    name: string,
    attributes: Partial<Record<QueueAttributeName, string>> = {},
  ): Promise<string> {
    const { QueueUrl } = await this.client.send(
      new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
    );
    return QueueUrl as string;
  }

  async send(QueueUrl: string, MessageBody: string, more: object = {}): Promise<string> {
    const { MessageId } = await this.client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
    return MessageId as string;
  }

  async receive(QueueUrl: string, more: Partial<ReceiveMessageCommandInput> = {}): Promise<Message[]> {
    const { Messages } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...more,
      }),
    );
    return Messages ?? [];
  }

  /** Visible, in flight, delayed. */
  async counts(QueueUrl: string): Promise<[number, number, number]> {
    const { Attributes } = await this.client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    const count = (name: string): number =>
      Number(Attributes?.[`ApproximateNumberOfMessages${name}` as QueueAttributeName]);
    return [count(''), count('NotVisible'), count('Delayed')];
  }

  async pair(
    fifo = false,
    maxReceiveCount = 2,
  ): Promise<{ source: string; dlq: string; dlqArn: string; sourceArn: string }> {
    const end = fifo ? '.fifo' : '';
    const type = fifo ? { FifoQueue: 'true' } : {};
    const dlq = await this.createQueue(`orders-dlq${end}`, type);
    const dlqArn = `arn:aws:sqs:eu-west-1:123456789012:orders-dlq${end}`;
    const source = await this.createQueue(`orders${end}`, {
      ...type,
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dlqArn, maxReceiveCount }),
    });
    return { source, dlq, dlqArn, sourceArn: `arn:aws:sqs:eu-west-1:123456789012:orders${end}` };
  }

  async stop(): Promise<void> {
    this.client.destroy();
    this.service.stop();
    await this.gateway.stop();
  }
}

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
