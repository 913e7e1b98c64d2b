import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Balance } from '../core/balance';
import { EVENT_SOURCE } from '../core/redrive-environment';
import type { RunRecord } from '../core/run-record';
import type { Clock } from '../operations/redrive-ports';

/** Tells of the end of a run: an event on the default bus for machines, metrics in the log for alarms. No bodies. */
export class RunAnnouncer {
  constructor(
    private readonly client: EventBridgeClient,
    private readonly log: (line: string) => void,
    private readonly clock: Clock,
  ) {}

  async announce(run: RunRecord, balance: Balance): Promise<void> {
    const { plan, runId, state, why } = run;
    this.log(this.metricLine(run, balance));
    await this.client.send(
      new PutEventsCommand({
        Entries: [
          {
            Source: EVENT_SOURCE,
            DetailType: 'Redrive Run Ended',
            Detail: JSON.stringify({
              version: 1,
              runId,
              queue: plan.queue,
              action: plan.action,
              state,
              why,
              balance,
            }),
          },
        ],
      }),
    );
  }

  /** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
  private metricLine({ plan, state, counts, runId }: RunRecord, balance: Balance): string {
    const metrics = {
      Selected: balance.selected,
      Sent: counts.sent,
      Succeeded: balance.succeeded,
      Returned: balance.returned,
      Discarded: balance.discarded,
      Parked: counts.parked,
      RunsFailed: state === 'failed' ? 1 : 0,
      RunsStopped: state === 'stopped' ? 1 : 0,
      RunsUnbalanced: balance.holds ? 0 : 1,
    };
    return JSON.stringify({
      _aws: {
        Timestamp: this.clock.now(),
        CloudWatchMetrics: [
          {
            Namespace: 'Redrive/Run',
            Dimensions: [['queue']],
            Metrics: Object.keys(metrics).map((Name) => ({ Name, Unit: 'Count' })),
          },
        ],
      },
      queue: plan.queue,
      runId,
      ...metrics,
    });
  }
}
