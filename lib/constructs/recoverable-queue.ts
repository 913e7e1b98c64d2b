import { Duration, Lazy, Names, RemovalPolicy, Token } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { CodedError } from '../core/coded-error';
import { AdoptedQueue } from './adopted-queue';
import type { WiredConsumer } from './consumer-wiring';
import { RecoverableQueueBase } from './recoverable-queue-base';
import type { IRecoverableQueue } from './recoverable-queue-interface';
import type { ExistingQueuesProps, RecoverableQueueProps } from './recoverable-queue-props';
import { queueProblems } from './recoverable-queue-rules';
import { allowSources } from './redrive-allow-policy';

/**
 * A queue whose failures are a workflow that ends: source queue, dead-letter queue, replay queue, alarms with an owner, and
 * a throttled redrive. `addConsumer` connects a function with the settings that keep messages.
 */
export class RecoverableQueue extends RecoverableQueueBase {
  /**
   * Takes over queues that exist already: nothing about them is changed. A replay queue is made beside them, with alarms,
   * stores and the redrive. Throws QUEUE_NAME_UNKNOWN when the name of the source queue can't be seen at synth.
   */
  public static fromQueues(scope: Construct, id: string, props: ExistingQueuesProps): IRecoverableQueue {
    return new AdoptedQueue(scope, id, props);
  }

  /** Where producers send to. */
  public readonly sourceQueue: sqs.Queue;
  public readonly deadLetterQueue: sqs.IQueue;
  /** Where redriven messages come back through; undefined when they go straight to the source queue. */
  public readonly replayQueue?: sqs.Queue;
  /** Name by which operators call it: that of the source queue. */
  public readonly queueName: string;
  public readonly maxReceiveCount: number;
  public readonly retentionPeriod: Duration;
  public readonly deadLetterRetentionPeriod: Duration;
  private readonly props: RecoverableQueueProps;

  constructor(scope: Construct, id: string, props: RecoverableQueueProps = {}) {
    super(scope, id, props);
    const { deadLetterQueue: shared, encryptionKey } = props;
    this.props = props;
    this.maxReceiveCount = props.maxReceiveCount ?? 5;
    this.retentionPeriod = props.retentionPeriod ?? Duration.days(4);
    this.deadLetterRetentionPeriod =
      shared?.retentionPeriod ?? props.deadLetterRetentionPeriod ?? Duration.days(14);
    const fifo = props.fifo === true;
    const base =
      checkedName(props.queueName) ??
      Names.uniqueResourceName(this, { maxLength: 60, separator: '-', allowedSpecialCharacters: '-_' });
    const named = (suffix: string): string => `${base.replace(/\.fifo$/, '')}${suffix}${fifo ? '.fifo' : ''}`;
    this.queueName = named('');
    const own =
      shared === undefined
        ? this.queue('DeadLetterQueue', named('-dlq'), this.deadLetterRetentionPeriod)
        : undefined;
    this.deadLetterQueue = own ?? (shared as { queue: sqs.Queue }).queue;
    this.sourceQueue = this.queue('SourceQueue', this.queueName, this.retentionPeriod);
    if (props.replayQueue !== false)
      this.replayQueue = this.queue('ReplayQueue', named('-replay'), this.retentionPeriod);
    const sources = [this.sourceQueue, ...(this.replayQueue === undefined ? [] : [this.replayQueue])];
    for (const source of sources)
      cfn(source).redrivePolicy = {
        deadLetterTargetArn: this.deadLetterQueue.queueArn,
        maxReceiveCount: this.maxReceiveCount,
      };
    if (own !== undefined) allowSources(own, sources);
    shared?._admit(sources, this.retentionPeriod);
    const keys = new Set([encryptionKey, shared?.encryptionKey].filter((key) => key !== undefined));
    this._finish(props, shared !== undefined, [...keys]);
  }

  /** @internal */
  protected _visibilityAsked(): number | undefined {
    return this.props.visibilityTimeout?.toSeconds();
  }

  /** @internal */
  protected _queueProblems(consumers: readonly WiredConsumer[]): string[] {
    return queueProblems(this.node.path, this.props, consumers);
  }

  /** @internal */
  protected _answeredRules(consumers: readonly WiredConsumer[]): string[] {
    return [
      ...(this.props.lowReceiveCountReason === undefined ? [] : ['RECEIVE_COUNT_LOW']),
      ...(consumers.some(({ filtered }) => filtered) ? ['FILTER_DROPS'] : []),
    ];
  }

  private queue(id: string, queueName: string, retentionPeriod: Duration): sqs.Queue {
    const { fifo, contentBasedDeduplication, encryptionKey, removalPolicy, maxMessageSizeBytes } = this.props;
    const queue = new sqs.Queue(this, id, {
      queueName,
      enforceSSL: true,
      removalPolicy: removalPolicy ?? RemovalPolicy.RETAIN,
      ...(fifo === true ? { fifo: true } : {}),
      ...(encryptionKey === undefined
        ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
        : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    });
    // Below the construct of aws-cdk, which would throw on the first number that is wrong: all are told at once.
    cfn(queue).messageRetentionPeriod = retentionPeriod.toSeconds();
    cfn(queue).maximumMessageSize = maxMessageSizeBytes ?? 1_048_576;
    if (contentBasedDeduplication === true) cfn(queue).contentBasedDeduplication = true;
    if (id !== 'DeadLetterQueue')
      cfn(queue).visibilityTimeout = Lazy.number({ produce: () => this.visibilitySeconds() });
    return queue;
  }
}

/** Resources and parameters are named after it, so that there is no going on with a wrong one. */
function checkedName(queueName: string | undefined): string | undefined {
  if (queueName === undefined || (!Token.isUnresolved(queueName) && /^[\w-]{1,60}(\.fifo)?$/.test(queueName)))
    return queueName;
  throw new CodedError({
    code: 'QUEUE_NAME',
    problem: 'the queue can not be called so',
    given: Token.isUnresolved(queueName) ? 'a token' : queueName,
    allowed: 'up to 60 letters, digits, _ and -, known at synth',
    nextStep: 'give another queueName, or none',
  });
}

function cfn(queue: sqs.Queue): sqs.CfnQueue {
  return queue.node.defaultChild as sqs.CfnQueue;
}
