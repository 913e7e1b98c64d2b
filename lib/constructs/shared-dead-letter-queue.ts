import { Duration, Names, RemovalPolicy } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type AlarmOptions, AlarmProfile } from './alarm-options';
import { makeAlarm, openToCloudWatch, wantedKinds } from './alarm-spec';
import { deadLetterSpecs } from './alarm-specs';
import { allowSources } from './redrive-allow-policy';
import { sharedAlarmTopic } from './stack-shared';

/** Of a redrive-allow policy. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html */
const MOST_SOURCES = 10;

export interface SharedDeadLetterQueueProps extends AlarmOptions {
  /** Letters, digits, `_` and `-`, up to 75; `.fifo` is added on FIFO queues. Default: made of the stack's name and the construct path. */
  readonly queueName?: string;
  /** The type of all its sources. Default false. */
  readonly fifo?: boolean;
  /** Longer than that of every source, up to 14 days. Default 14 days. */
  readonly retentionPeriod?: Duration;
  /** At least that of every source, in bytes: 1,024 to 1,048,576. Default 1,048,576. */
  readonly maxMessageSizeBytes?: number;
  /** Default: keys of SQS. */
  readonly encryptionKey?: IKey;
  /** Who answers for it. Default `nobody`. */
  readonly owner?: string;
  /** Where the person on call reads on. Default: none. */
  readonly runbookUrl?: string;
  /** Default RETAIN. */
  readonly removalPolicy?: RemovalPolicy;
}

/**
 * One dead-letter queue for several small queues of one type. A queue of its own for each is the better default: alarms
 * and redrives are about one cause then. Up to ten sources; a replay queue counts as one.
 */
export class SharedDeadLetterQueue extends Construct {
  public readonly queue: sqs.Queue;
  public readonly retentionPeriod: Duration;
  public readonly encryptionKey?: IKey;
  public readonly alarms: cloudwatch.Alarm[];
  private readonly sources: sqs.Queue[] = [];
  private longest = 0;

  constructor(scope: Construct, id: string, props: SharedDeadLetterQueueProps = {}) {
    super(scope, id);
    const { encryptionKey, alarmTopic, criticalAlarmTopic: criticalTopic, runbookUrl } = props;
    this.retentionPeriod = props.retentionPeriod ?? Duration.days(14);
    if (encryptionKey !== undefined) this.encryptionKey = encryptionKey;
    const fifo = props.fifo === true;
    const base =
      props.queueName ??
      Names.uniqueResourceName(this, { maxLength: 75, separator: '-', allowedSpecialCharacters: '-_' });
    const queueName = `${base.replace(/\.fifo$/, '')}${fifo ? '.fifo' : ''}`;
    this.queue = new sqs.Queue(this, 'Queue', {
      queueName,
      retentionPeriod: this.retentionPeriod,
      enforceSSL: true,
      maxMessageSizeBytes: props.maxMessageSizeBytes ?? 1_048_576,
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      ...(fifo ? { fifo: true } : {}),
      ...(encryptionKey === undefined
        ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
        : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    });
    this.node.addValidation({ validate: () => this.problems() });
    const topic = alarmTopic ?? sharedAlarmTopic(this);
    for (const each of [topic, ...(criticalTopic === undefined ? [] : [criticalTopic])])
      openToCloudWatch(this, each);
    const kinds = wantedKinds(props);
    const groups = 'npx redrive groups NAME, of each queue that shares it';
    this.alarms = deadLetterSpecs(
      {
        deadLetterQueue: this.queue,
        deadLetterRetention: this.retentionPeriod,
        sourceRetention: Duration.days(4),
        groups,
        plan: groups,
      },
      props.alarmProfile ?? AlarmProfile.CRITICAL_FLOW,
      props.alarmThresholds ?? {},
    )
      .filter(({ kind }) => kinds.has(kind))
      .map((spec) =>
        makeAlarm(this, spec, {
          queueName,
          owner: props.owner ?? 'nobody',
          topic,
          ...(criticalTopic === undefined ? {} : { criticalTopic }),
          ...(runbookUrl === undefined ? {} : { runbookUrl }),
        }),
      );
  }

  /** @internal Lets the queues of a RecoverableQueue in. */
  public _admit(sources: readonly sqs.Queue[], retention: Duration): void {
    this.sources.push(...sources);
    this.longest = Math.max(this.longest, retention.toSeconds());
    allowSources(this.queue, this.sources);
  }

  private problems(): string[] {
    const problems: string[] = [];
    const { path } = this.node;
    if (this.sources.length > MOST_SOURCES)
      problems.push(
        `ALLOW_POLICY_TOO_LONG: ${path}: ${this.sources.length} sources, and ${MOST_SOURCES} are allowed; a replay queue counts as one: set replayQueue false, or make a second dead-letter queue`,
      );
    const odd = this.sources.filter(({ fifo }) => fifo !== this.queue.fifo);
    if (odd.length > 0)
      problems.push(
        `QUEUE_TYPES_DIFFER: ${path}: ${odd.map(({ node }) => node.path).join(', ')}: both must be standard or both FIFO`,
      );
    if (this.longest >= this.retentionPeriod.toSeconds())
      problems.push(
        `RETENTION_ORDER: ${path}: a source keeps messages for ${this.longest} s, and this queue for ${this.retentionPeriod.toSeconds()} s: it must be longer`,
      );
    return problems;
  }
}
