import { Annotations, ArnFormat, Duration, Lazy, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type WiredConsumer, wireConsumer } from './consumer-wiring';
import { DeadLetterAlarms } from './dead-letter-alarms';
import type { FailureStore } from './failure-store';
import type { IdempotencyTable } from './idempotency-table';
import type { IRecoverableQueue } from './recoverable-queue-interface';
import {
  AlarmProfile,
  type ConsumerMappingOptions,
  type RecoverableQueueProps,
} from './recoverable-queue-props';
import { queueProblems } from './recoverable-queue-rules';
import type { RedriveStateMachine } from './redrive-state-machine';
import {
  sharedAlarmTopic,
  sharedFailureStore,
  sharedIdempotencyTable,
  sharedStateMachine,
} from './stack-shared';

/** Without a consumer that asks for more. */
const LEAST_VISIBILITY_SECONDS = 30;

/**
 * A queue whose failures are a workflow that ends: source queue, dead-letter queue, replay queue, alarms with an owner, and
 * a throttled redrive. `addConsumer` connects a function with the settings that keep messages.
 */
export class RecoverableQueue extends Construct implements IRecoverableQueue {
  /** Where producers send to. */
  public readonly sourceQueue: sqs.Queue;
  public readonly deadLetterQueue: sqs.Queue;
  /** Where redriven messages come back through; undefined when they go straight to the source queue. */
  public readonly replayQueue?: sqs.Queue;
  public readonly failureStore: FailureStore;
  public readonly idempotencyTable: IdempotencyTable;
  public readonly redrive: RedriveStateMachine;
  public readonly alarms: DeadLetterAlarms;
  /** Name by which operators call it: that of the source queue. */
  public readonly queueName: string;
  public readonly maxReceiveCount: number;
  public readonly retentionPeriod: Duration;
  public readonly deadLetterRetentionPeriod: Duration;
  private readonly props: RecoverableQueueProps;
  private readonly consumers: WiredConsumer[] = [];

  constructor(scope: Construct, id: string, props: RecoverableQueueProps = {}) {
    super(scope, id);
    this.props = props;
    this.maxReceiveCount = props.maxReceiveCount ?? 5;
    this.retentionPeriod = props.retentionPeriod ?? Duration.days(4);
    this.deadLetterRetentionPeriod = props.deadLetterRetentionPeriod ?? Duration.days(14);
    const fifo = props.fifo === true;
    const base =
      props.queueName ??
      Names.uniqueResourceName(this, { maxLength: 60, separator: '-', allowedSpecialCharacters: '-_' });
    const named = (suffix: string): string => `${base.replace(/\.fifo$/, '')}${suffix}${fifo ? '.fifo' : ''}`;
    this.queueName = named('');
    this.node.addValidation({ validate: () => queueProblems(this.node.path, props, this.consumers) });
    if (props.owner === undefined)
      Annotations.of(this).addWarningV2(
        'cdk-redrive:owner',
        'nobody answers for this queue: set `owner`, so that its alarms name somebody',
      );

    this.deadLetterQueue = this.queue('DeadLetterQueue', named('-dlq'), this.deadLetterRetentionPeriod);
    this.sourceQueue = this.queue('SourceQueue', this.queueName, this.retentionPeriod);
    if (props.replayQueue !== false)
      this.replayQueue = this.queue('ReplayQueue', named('-replay'), this.retentionPeriod);
    this.linkQueues();

    this.failureStore = props.failureStore ?? sharedFailureStore(this);
    this.idempotencyTable = props.idempotencyTable ?? sharedIdempotencyTable(this);
    this.redrive = props.redrive ?? sharedStateMachine(this, this.failureStore);
    this.redrive.addQueue({
      name: this.queueName,
      sourceQueue: this.sourceQueue,
      deadLetterQueue: this.deadLetterQueue,
      ...(this.replayQueue === undefined ? {} : { replayQueue: this.replayQueue }),
      ...(props.encryptionKey === undefined ? {} : { encryptionKeys: [props.encryptionKey] }),
    });
    this.alarms = new DeadLetterAlarms(this, 'Alarms', {
      queue: this,
      owner: props.owner ?? 'nobody',
      profile: props.alarmProfile ?? AlarmProfile.CRITICAL_FLOW,
      topic: props.alarmTopic ?? sharedAlarmTopic(this),
      ...(props.runbookUrl === undefined ? {} : { runbookUrl: props.runbookUrl }),
    });
  }

  /**
   * Feeds a function from the source queue and the replay queue: partial batch responses on, visibility long enough,
   * concurrency bounded, and exactly the rights that the consumer library uses.
   */
  public addConsumer(consumer: IFunction, options: ConsumerMappingOptions = {}): void {
    const wired = wireConsumer(this, consumer, options);
    this.consumers.push(wired);
    for (const mapping of wired.mappings) this.redrive.addMapping(this.queueName, mapping);
  }

  /** The right to send to the source queue, with that to use its key. */
  public grantSendMessages(grantee: iam.IGrantable): iam.Grant {
    return this.sourceQueue.grantSendMessages(grantee);
  }

  /** Messages in the dead-letter queue, as the presence and depth alarms see them. */
  public metricDeadLetterDepth(): IMetric {
    return this.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: 'Maximum',
      period: Duration.minutes(1),
    });
  }

  /** Seconds that a received message stays hidden; known once every consumer has been added. */
  public visibilitySeconds(): number {
    const asked = this.props.visibilityTimeout?.toSeconds();
    return (
      asked ??
      Math.max(
        LEAST_VISIBILITY_SECONDS,
        ...this.consumers.map(({ leastVisibilitySeconds }) => leastVisibilitySeconds),
      )
    );
  }

  private queue(id: string, queueName: string, retentionPeriod: Duration): sqs.Queue {
    const { fifo, contentBasedDeduplication, encryptionKey, removalPolicy, maxMessageSizeBytes } = this.props;
    const queue = new sqs.Queue(this, id, {
      queueName,
      retentionPeriod,
      enforceSSL: true,
      maxMessageSizeBytes: maxMessageSizeBytes ?? 1_048_576,
      removalPolicy: removalPolicy ?? RemovalPolicy.RETAIN,
      ...(fifo === true ? { fifo: true, contentBasedDeduplication: contentBasedDeduplication === true } : {}),
      ...(encryptionKey === undefined
        ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
        : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    });
    if (id !== 'DeadLetterQueue')
      cfn(queue).visibilityTimeout = Lazy.number({ produce: () => this.visibilitySeconds() });
    return queue;
  }

  /** By name on one side, since each names the other: with references on both the template would be a circle (field rule F44). */
  private linkQueues(): void {
    const sources = [this.sourceQueue, ...(this.replayQueue === undefined ? [] : [this.replayQueue])];
    for (const source of sources)
      cfn(source).redrivePolicy = {
        deadLetterTargetArn: this.deadLetterQueue.queueArn,
        maxReceiveCount: this.maxReceiveCount,
      };
    const stack = Stack.of(this);
    cfn(this.deadLetterQueue).redriveAllowPolicy = {
      redrivePermission: 'byQueue',
      sourceQueueArns: sources.map((source) =>
        stack.formatArn({
          service: 'sqs',
          resource: String(cfn(source).queueName),
          arnFormat: ArnFormat.NO_RESOURCE_NAME,
        }),
      ),
    };
  }
}

function cfn(queue: sqs.Queue): sqs.CfnQueue {
  return queue.node.defaultChild as sqs.CfnQueue;
}
