import { Annotations, Duration, Lazy, Names, RemovalPolicy, Token } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { CodedError } from '../core/coded-error';
import type { WiredConsumer } from './consumer-wiring';
import { RecoverableQueueBase } from './recoverable-queue-base';
import type { ExistingQueuesProps } from './recoverable-queue-props';
import { receiveCountProblems, visibilityProblems } from './recoverable-queue-rules';

/** Queues made elsewhere, with everything around them that is missing. */
export class AdoptedQueue extends RecoverableQueueBase {
  public readonly sourceQueue: sqs.IQueue;
  public readonly deadLetterQueue: sqs.IQueue;
  public readonly replayQueue?: sqs.Queue;
  public readonly queueName: string;
  public readonly maxReceiveCount: number;
  public readonly retentionPeriod: Duration;
  public readonly deadLetterRetentionPeriod: Duration;
  private readonly visibility: number | undefined;

  constructor(scope: Construct, id: string, props: ExistingQueuesProps) {
    super(scope, id, props);
    const { sourceQueue, deadLetterQueue, encryptionKey } = props;
    this.sourceQueue = sourceQueue;
    this.deadLetterQueue = deadLetterQueue;
    this.queueName = nameOf(sourceQueue);
    this.maxReceiveCount = props.maxReceiveCount;
    this.retentionPeriod =
      props.retentionPeriod ?? seconds(sourceQueue, 'messageRetentionPeriod') ?? Duration.days(4);
    this.deadLetterRetentionPeriod =
      props.deadLetterRetentionPeriod ??
      seconds(deadLetterQueue, 'messageRetentionPeriod') ??
      Duration.days(14);
    this.visibility = (props.visibilityTimeout ?? seconds(sourceQueue, 'visibilityTimeout'))?.toSeconds();
    if (this.visibility === undefined)
      Annotations.of(this).addWarningV2(
        'cdk-redrive:visibility-unknown',
        `the visibility timeout of ${this.queueName} can't be seen here: give visibilityTimeout, so that it is checked against the consumers`,
      );
    if (props.replayQueue !== false) this.replayQueue = this.makeReplayQueue(props);
    this._finish(props, false, encryptionKey === undefined ? [] : [encryptionKey]);
  }

  /** @internal */
  protected _visibilityAsked(): number | undefined {
    return this.visibility;
  }

  /** @internal */
  protected _queueProblems(consumers: readonly WiredConsumer[]): string[] {
    const { path } = this.node;
    const problems = [
      ...receiveCountProblems(path, this.maxReceiveCount, 'told in code'),
      ...visibilityProblems(path, this.visibility, consumers),
    ];
    if (this.sourceQueue.fifo !== this.deadLetterQueue.fifo)
      problems.push(
        `QUEUE_TYPES_DIFFER: ${path}: source and dead-letter queue must both be standard or both FIFO`,
      );
    return problems;
  }

  /** @internal */
  protected _answeredRules(consumers: readonly WiredConsumer[]): string[] {
    return ['RECEIVE_COUNT_LOW', ...(consumers.some(({ filtered }) => filtered) ? ['FILTER_DROPS'] : [])];
  }

  private makeReplayQueue({
    deadLetterQueue,
    maxReceiveCount,
    encryptionKey,
  }: ExistingQueuesProps): sqs.Queue {
    const fifo = this.sourceQueue.fifo;
    const base = this.queueName.replace(/\.fifo$/, '');
    const fits = base.length <= 68;
    const name = fits ? base : Names.uniqueResourceName(this, { maxLength: 60, separator: '-' });
    const queue = new sqs.Queue(this, 'ReplayQueue', {
      queueName: `${name}-replay${fifo ? '.fifo' : ''}`,
      retentionPeriod: this.retentionPeriod,
      enforceSSL: true,
      maxMessageSizeBytes: 1_048_576,
      removalPolicy: RemovalPolicy.RETAIN,
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount },
      ...(fifo ? { fifo: true } : {}),
      ...(encryptionKey === undefined
        ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
        : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    });
    (queue.node.defaultChild as sqs.CfnQueue).visibilityTimeout = Lazy.number({
      produce: () => this.visibilitySeconds(),
    });
    return queue;
  }
}

function nameOf(queue: sqs.IQueue): string {
  const resource = queue.node.defaultChild as Partial<sqs.CfnQueue> | undefined;
  const name = resource?.queueName ?? queue.queueName;
  if (!Token.isUnresolved(name)) return name;
  throw new CodedError({
    code: 'QUEUE_NAME_UNKNOWN',
    problem:
      'the name of the source queue is not known at synth, and operators, alarms and the failure store call it by that',
    given: queue.node.path,
    allowed: 'a queue with a queueName, or one of Queue.fromQueueArn with the whole ARN',
    nextStep: 'give the queue a fixed name, or import it by its ARN',
  });
}

/** A setting of a queue of this app; of an imported one nothing is known. */
function seconds(
  queue: sqs.IQueue,
  property: 'visibilityTimeout' | 'messageRetentionPeriod',
): Duration | undefined {
  if (!(queue instanceof sqs.Queue)) return undefined;
  const value = (queue.node.defaultChild as sqs.CfnQueue)[property];
  if (value === undefined) return property === 'visibilityTimeout' ? Duration.seconds(30) : Duration.days(4);
  return typeof value === 'number' && !Token.isUnresolved(value) ? Duration.seconds(value) : undefined;
}
