import { Annotations, Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { isNear, type WiredConsumer, wireConsumer } from './consumer-wiring';
import { DeadLetterAlarms } from './dead-letter-alarms';
import { depth } from './dead-letter-metrics';
import type { FailureStore } from './failure-store';
import { finalTemplateProblems } from './final-template';
import type { IdempotencyTable } from './idempotency-table';
import type { IRecoverableQueue } from './recoverable-queue-interface';
import type { ConsumerMappingOptions, RecoverableQueueOptions } from './recoverable-queue-props';
import type { RedriveStateMachine } from './redrive-state-machine';
import { sharedFailureStore, sharedIdempotencyTable, sharedStateMachine } from './stack-shared';

/** Without a consumer that asks for more: the default of SQS. */
const LEAST_VISIBILITY_SECONDS = 30;

/** What a queue made here and an adopted one have in common. */
export abstract class RecoverableQueueBase extends Construct implements IRecoverableQueue {
  /** Where producers send to. */
  public abstract readonly sourceQueue: IQueue;
  public abstract readonly deadLetterQueue: IQueue;
  /** Where redriven messages come back through; undefined when they go straight to the source queue. */
  public abstract readonly replayQueue?: IQueue;
  /** Name by which operators call it: that of the source queue. */
  public abstract readonly queueName: string;
  public abstract readonly maxReceiveCount: number;
  public abstract readonly retentionPeriod: Duration;
  public abstract readonly deadLetterRetentionPeriod: Duration;
  public readonly failureStore: FailureStore;
  public readonly idempotencyTable: IdempotencyTable;
  public readonly redrive: RedriveStateMachine;
  /** Who answers for it. */
  public readonly owner: string;
  /** Where the person on call reads on. */
  public readonly runbookUrl?: string;
  private readonly wired: WiredConsumer[] = [];
  private ownAlarms?: DeadLetterAlarms;
  private redriven = false;

  constructor(scope: Construct, id: string, options: RecoverableQueueOptions) {
    super(scope, id);
    this.owner = options.owner ?? 'nobody';
    if (options.runbookUrl !== undefined) this.runbookUrl = options.runbookUrl;
    this.failureStore = options.failureStore ?? sharedFailureStore(this);
    this.idempotencyTable = options.idempotencyTable ?? sharedIdempotencyTable(this);
    this.redrive = options.redrive ?? sharedStateMachine(this, this.failureStore);
    if (options.owner === undefined)
      Annotations.of(this).addWarningV2(
        'cdk-redrive:owner',
        'nobody answers for this queue: set `owner`, so that its alarms name somebody',
      );
    this.node.addValidation({ validate: () => this.allProblems() });
  }

  /** The alarms of the queue. */
  public get alarms(): DeadLetterAlarms {
    return this.ownAlarms as DeadLetterAlarms;
  }

  /** The functions that are fed from it so far. */
  public get consumers(): IFunction[] {
    return this.wired.map(({ consumer }) => consumer);
  }

  /**
   * Feeds a function from the source queue and the replay queue: partial batch responses on, visibility long enough,
   * concurrency bounded, and exactly the rights that the consumer library uses.
   */
  public addConsumer(consumer: IFunction, options: ConsumerMappingOptions = {}): void {
    const wired = wireConsumer(this, consumer, options);
    this.wired.push(wired);
    if (this.redriven) this.showToPreflight(wired);
    this.alarms.watchConsumer(consumer, options.consumerName);
  }

  /** The right to send to the source queue, with that to use its key. */
  public grantSendMessages(grantee: iam.IGrantable): iam.Grant {
    return this.sourceQueue.grantSendMessages(grantee);
  }

  /** Messages in the dead-letter queue, as the presence and depth alarms see them. */
  public metricDeadLetterDepth(): IMetric {
    return depth(this.deadLetterQueue, Duration.minutes(1));
  }

  /** Seconds that a received message stays hidden; known once every consumer has been added. */
  public visibilitySeconds(): number {
    return (
      this._visibilityAsked() ??
      Math.max(
        LEAST_VISIBILITY_SECONDS,
        ...this.wired.map(({ leastVisibilitySeconds }) => leastVisibilitySeconds),
      )
    );
  }

  /** @internal Settled visibility in seconds; undefined when it follows the consumers. */
  protected abstract _visibilityAsked(): number | undefined;

  /** @internal What is wrong with the queues themselves. */
  protected abstract _queueProblems(consumers: readonly WiredConsumer[]): string[];

  /** @internal Rules that the author has answered in code. */
  protected abstract _answeredRules(consumers: readonly WiredConsumer[]): string[];

  /** @internal Alarms and redrive, once the queues exist. */
  protected _finish(
    options: RecoverableQueueOptions,
    sharedDeadLetterQueue: boolean,
    keys: readonly IKey[],
  ): void {
    if (sharedDeadLetterQueue)
      // A run takes what it meets in the dead-letter queue, and half of that is other queues'.
      Annotations.of(this).addWarningV2(
        'cdk-redrive:shared-dead-letter-queue',
        'the dead-letter queue is shared: the redrive engine leaves it alone, and its messages are moved by hand; give the queue one of its own',
      );
    else {
      this.redriven = true;
      this.redrive.addQueue({
        name: this.queueName,
        sourceQueue: this.sourceQueue,
        deadLetterQueue: this.deadLetterQueue,
        ...(this.replayQueue === undefined ? {} : { replayQueue: this.replayQueue }),
        ...(keys.length === 0 ? {} : { encryptionKeys: [...keys] }),
      });
    }
    this.ownAlarms = new DeadLetterAlarms(this, 'Alarms', { ...options, queue: this, sharedDeadLetterQueue });
  }

  private showToPreflight({ consumer, path, mappings }: WiredConsumer): void {
    if (isNear(this, consumer))
      for (const mapping of mappings) this.redrive.addMapping(this.queueName, mapping);
    else
      Annotations.of(this).addInfo(
        `${path} is of another stack: the preflight of a redrive can't see whether its mappings are switched on`,
      );
  }

  private allProblems(): string[] {
    const consumers = this.wired;
    const told = [...this._queueProblems(consumers), ...consumers.flatMap((consumer) => consumer.problems())];
    if (consumers.length > 1 && consumers.some(({ filtered }) => filtered))
      told.push(
        `FILTERS_COMPETE: ${this.node.path}: two consumers of one queue, one of them filtered, delete each other's messages`,
      );
    const codes = new Set(told.map((problem) => problem.split(':')[0]));
    const answered = new Set(this._answeredRules(consumers));
    return [
      ...told,
      // What aspects and overrides made of it since (field rule F17).
      ...finalTemplateProblems(this, consumers)
        .filter(({ rule }) => !codes.has(rule) && !answered.has(rule))
        .map(({ text }) => text),
    ];
  }
}
