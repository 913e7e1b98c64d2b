import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import type { OutgoingMessage, QueueMessage, QueueSender, QueueSource } from '../gateway/ports';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { Access } from './access';
import { md5OfAttributes } from './checksums';
import { queueGauges } from './gauges';
import { Journal } from './journal';
import { type CallContext, MessageActions } from './message-actions';
import { MoveTasks } from './move-tasks';
import { queueProviders } from './providers';
import { type Answer, type Parameters, QueueActions } from './queue-actions';
import { QueueRegistry } from './queue-registry';
import { numberOf } from './queue-settings';
import { handleOf, systemAttributes } from './received';
import { noSuchQueue, SqsError } from './sqs-error';

const SERVICE_SENDER = 'AIDALOCALSERVICE';
const MOVES = /MessageMoveTasks?$/;
const ACTIONS = new Set(
  [
    ...Object.getOwnPropertyNames(QueueActions.prototype),
    ...Object.getOwnPropertyNames(MessageActions.prototype),
  ].filter((name) => /^[A-Z]/.test(name)),
);

type Action = (given: Parameters, call: CallContext) => Answer | Promise<Answer>;

/** SQS over the AWS JSON protocol, and in process for the services that are fed by it or feed it. */
export class SqsService implements LocalService, QueueSource, QueueSender {
  readonly signingName = 'sqs';
  readonly providers: readonly ResourceProvider[];
  readonly queues: QueueRegistry;
  private readonly moves: MoveTasks;
  private readonly messages: MessageActions;
  private readonly actions: QueueActions;
  private readonly access: Access;
  private readonly journal: Journal | undefined;

  constructor(environment: Environment) {
    this.queues = new QueueRegistry(environment);
    this.moves = new MoveTasks(this.queues);
    this.messages = new MessageActions(this.queues, this.moves, environment.metrics);
    this.actions = new QueueActions(this.queues);
    this.access = new Access(environment);
    this.providers = queueProviders(this.queues);
    environment.metrics.addSource(() => queueGauges(this.queues.all(), environment.clock.now()));
    if (environment.dataFolder !== undefined) {
      this.journal = new Journal(path.join(environment.dataFolder, 'sqs'));
      this.journal.replay(this.queues);
      this.queues.listener = this.journal;
    }
  }

  stop(): void {
    this.moves.stop();
    for (const queue of this.queues.all()) queue.close();
    this.journal?.close();
  }

  async handle(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    try {
      const target = String(request.headers['x-amz-target'] ?? '');
      const operation = target.slice(target.indexOf('.') + 1);
      if (!ACTIONS.has(operation))
        throw new SqsError(
          'InvalidAction',
          `The action ${operation || '(none)'} is not valid for this endpoint.`,
        );
      const given = parse(await bodyOf(request));
      answer(response, 200, await this.perform(operation, given, exchange));
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      response.setHeader(
        'x-amzn-query-error',
        `${error.queryCode};${error.status < 500 ? 'Sender' : 'Receiver'}`,
      );
      answer(response, error.status, { __type: error.type, message: error.message });
    }
  }

  async receive(
    queueArn: string,
    options: { readonly maximum: number; readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<QueueMessage[]> {
    const queue = this.queues.byArn(queueArn);
    if (queue === undefined) throw noSuchQueue();
    const visibility = numberOf(queue.attributes, 'VisibilityTimeout');
    const messages = await this.messages.receive(queue, options.maximum, visibility, options.waitMs, {
      ...(options.signal === undefined ? {} : { departure: () => options.signal as AbortSignal }),
    });
    return messages.map((message) => {
      const md5OfMessageAttributes = md5OfAttributes(message.attributes);
      return {
        messageId: message.messageId,
        receiptHandle: handleOf(queue, message),
        body: message.body,
        md5OfBody: message.md5,
        attributes: systemAttributes(queue, message),
        messageAttributes: message.attributes ?? {},
        ...(md5OfMessageAttributes === undefined ? {} : { md5OfMessageAttributes }),
      };
    });
  }

  delete(queueArn: string, receiptHandles: readonly string[]): void {
    const queue = this.queues.byArn(queueArn);
    if (queue === undefined) return;
    for (const handle of receiptHandles) {
      try {
        this.messages.delete(queue, handle);
      } catch (error) {
        // A poller whose handle ran out has lost its claim; the message goes to the next.
        if (!(error instanceof SqsError)) throw error;
      }
    }
  }

  describe(queueArn: string): { readonly fifo: boolean; readonly visibilitySeconds: number } | undefined {
    const queue = this.queues.byArn(queueArn);
    return queue && { fifo: queue.fifo, visibilitySeconds: numberOf(queue.attributes, 'VisibilityTimeout') };
  }

  send(queueArn: string, message: OutgoingMessage): void {
    const queue = this.queues.byArn(queueArn);
    if (queue === undefined) throw noSuchQueue();
    const attributes = message.messageAttributes ?? {};
    this.messages.SendMessage(
      {
        QueueUrl: this.queues.urlOf(queue),
        MessageBody: message.body,
        MessageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([name, { dataType, stringValue, binaryValue }]) => [
            name,
            { DataType: dataType, StringValue: stringValue, BinaryValue: binaryValue?.toString('base64') },
          ]),
        ),
        MessageGroupId: message.groupId,
        MessageDeduplicationId: message.deduplicationId,
      },
      { senderId: SERVICE_SENDER },
    );
  }

  private async perform(operation: string, given: Parameters, exchange: Exchange): Promise<Answer> {
    const { identity, response } = exchange;
    this.authorize(operation, given, identity);
    const call: CallContext = {
      senderId: identity.accessKeyId,
      // Made for those that wait only: it costs more than most calls.
      departure: () => {
        const gone = new AbortController();
        response.once('close', () => gone.abort());
        return gone.signal;
      },
      waiting: () => exchange.waiting?.() ?? (() => {}),
    };
    const owner = operation in this.messages ? this.messages : this.actions;
    const action = (owner as unknown as Record<string, Action>)[operation] as Action;
    return action.call(owner, given, call);
  }

  private authorize(operation: string, given: Parameters, identity: Exchange['identity']): void {
    if (MOVES.test(operation)) {
      const arn = given['SourceArn'] ?? sourceOfTask(given['TaskHandle']);
      const source = typeof arn === 'string' ? this.queues.byArn(arn) : undefined;
      const destination = given['DestinationArn'];
      this.access.checkMove(
        identity,
        operation,
        source,
        typeof destination === 'string' ? this.queues.byArn(destination) : undefined,
      );
      return;
    }
    const url = given['QueueUrl'] ?? given['QueueName'];
    const queue = typeof url === 'string' ? this.queues.find(url.slice(url.lastIndexOf('/') + 1)) : undefined;
    this.access.check(identity, operation, queue);
  }
}

export function createSqs(environment: Environment): SqsService {
  return new SqsService(environment);
}

function sourceOfTask(handle: unknown): unknown {
  try {
    return JSON.parse(Buffer.from(String(handle), 'base64').toString()).sourceArn;
  } catch {
    return undefined;
  }
}

function parse(body: Buffer): Parameters {
  try {
    const value: unknown = JSON.parse(body.toString('utf8') || '{}');
    if (typeof value === 'object' && value !== null) return value as Parameters;
  } catch {
    // answered below, as for any other body that is not an object
  }
  throw new SqsError('SerializationException', 'The request body is not a JSON object.');
}

function answer(response: ServerResponse, status: number, value: Answer): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': body.length,
    'x-amzn-requestid': randomUUID(),
  });
  response.end(body);
}
