import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { AlarmKind, type AlarmOptions, AlarmProfile } from './alarm-options';
import { type AlarmAudience, type AlarmSpec, makeAlarm, openToCloudWatch, wantedKinds } from './alarm-spec';
import { deadLetterSpecs, functionSpecs, librarySpecs, runSpecs, sourceSpecs } from './alarm-specs';
import { isNear } from './consumer-wiring';
import type { IRecoverableQueue } from './recoverable-queue-interface';
import { sharedAlarmTopic } from './stack-shared';

export interface DeadLetterAlarmsProps extends AlarmOptions {
  readonly queue: IRecoverableQueue;
  /** True: other sources feed the dead-letter queue as well, and its own alarms are made elsewhere. Default false. */
  readonly sharedDeadLetterQueue?: boolean;
}

/** Functions whose own alarms exist, of whatever queue. */
const watched = new WeakSet<IFunction>();

/**
 * The alarms of a queue. Every description says what is the matter, who answers, where to read on, and the next command.
 * Depth is the visible gauge with statistic Maximum, and missing data is quiet (field rules F28 to F33).
 */
export class DeadLetterAlarms extends Construct {
  private readonly props: DeadLetterAlarmsProps;
  private readonly kinds: Set<AlarmKind>;
  private readonly made: cloudwatch.Alarm[] = [];
  private readonly audience: AlarmAudience;

  constructor(scope: Construct, id: string, props: DeadLetterAlarmsProps) {
    super(scope, id);
    this.props = props;
    this.kinds = wantedKinds(props);
    const { queue, criticalAlarmTopic, sharedDeadLetterQueue, alarmThresholds = {} } = props;
    const topic = props.alarmTopic ?? sharedAlarmTopic(this);
    for (const each of [topic, ...(criticalAlarmTopic === undefined ? [] : [criticalAlarmTopic])])
      openToCloudWatch(this, each);
    this.audience = {
      queueName: queue.queueName,
      owner: queue.owner,
      topic,
      ...(criticalAlarmTopic === undefined ? {} : { criticalTopic: criticalAlarmTopic }),
      ...(queue.runbookUrl === undefined ? {} : { runbookUrl: queue.runbookUrl }),
    };
    const groups = `npx redrive groups ${queue.queueName}`;
    const ofSource = sourceSpecs(queue, groups, alarmThresholds);
    if (sharedDeadLetterQueue === true)
      this.make(ofSource.filter(({ kind }) => kind !== AlarmKind.FAILURE_SHARE));
    else {
      this.make(runSpecs(queue.queueName));
      this.make([
        ...deadLetterSpecs(
          {
            deadLetterQueue: queue.deadLetterQueue,
            deadLetterRetention: queue.deadLetterRetentionPeriod,
            sourceRetention: queue.retentionPeriod,
            groups,
            plan: `npx redrive plan ${queue.queueName} --all`,
          },
          props.alarmProfile ?? AlarmProfile.CRITICAL_FLOW,
          alarmThresholds,
        ),
        ...ofSource,
      ]);
    }
  }

  /** Those that have been made so far. */
  public get alarms(): cloudwatch.Alarm[] {
    return [...this.made];
  }

  /** Watches a function that is fed from the queue; `addConsumer` does so. */
  public watchConsumer(consumer: IFunction, consumerName?: string): void {
    const { queue } = this.props;
    const [scope, { addr }] = isNear(queue, consumer) ? [this, consumer.node] : [consumer, queue.node];
    const suffix = `-${addr.slice(-8)}`;
    if (!watched.has(consumer)) {
      watched.add(consumer);
      this.make(functionSpecs(consumer), scope, suffix);
    }
    this.make(librarySpecs(queue.queueName, consumerName ?? consumer.functionName), scope, suffix);
  }

  private make(specs: readonly AlarmSpec[], scope: Construct = this, suffix = ''): void {
    for (const spec of specs)
      if (this.kinds.has(spec.kind))
        this.made.push(makeAlarm(scope, spec, this.audience, `${spec.kind}${suffix}`));
  }
}
