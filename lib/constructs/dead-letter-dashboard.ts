import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { overviewRow, queueRows } from './dashboard-widgets';
import type { IRecoverableQueue } from './recoverable-queue-interface';

export interface DeadLetterDashboardProps {
  /** One part each, and a row of all in front when there are several. Up to 80: a dashboard takes 500 widgets. */
  readonly queues: IRecoverableQueue[];
  /** Letters, digits, `_` and `-`. Default: made by CloudFormation. */
  readonly dashboardName?: string;
  /** What is shown at first. Default 1 day. */
  readonly defaultInterval?: Duration;
}

/**
 * What the person on call looks at: depth, arrivals, age, failures by code, redrives with their outcomes, consumers.
 * Make it after the consumers have been added: those are the ones that it shows.
 */
export class DeadLetterDashboard extends Construct {
  public readonly dashboard: cloudwatch.Dashboard;

  constructor(scope: Construct, id: string, props: DeadLetterDashboardProps) {
    super(scope, id);
    const { queues, dashboardName, defaultInterval = Duration.days(1) } = props;
    this.dashboard = new cloudwatch.Dashboard(this, 'Dashboard', {
      defaultInterval,
      ...(dashboardName === undefined ? {} : { dashboardName }),
    });
    if (queues.length > 1) this.dashboard.addWidgets(...overviewRow(queues));
    for (const row of queues.flatMap((queue) => queueRows(queue))) this.dashboard.addWidgets(...row);
  }
}
