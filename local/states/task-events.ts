import type { StateFailure } from './states-error';
import type { TaskResource } from './tasks';
import type { Interpretation, Visit } from './visit';

/**
 * The events of one task. A function named by its ARN has events of its own.
 * https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html
 */
export class TaskEvents {
  private readonly plain: boolean;
  private readonly of: { readonly resourceType: string; readonly resource: string };

  constructor(
    private readonly run: Interpretation,
    private readonly visit: Visit,
    { kind, service, action, pattern }: TaskResource,
  ) {
    this.plain = kind === 'lambda-arn';
    const suffix = pattern === 'request-response' ? '' : `.${pattern}`;
    this.of = { resourceType: service, resource: `${action}${suffix}` };
  }

  scheduled(input: unknown, timeout: number | undefined, heartbeat: number | undefined): void {
    const limits = {
      ...(timeout === undefined ? {} : { timeoutInSeconds: timeout }),
      ...(heartbeat === undefined ? {} : { heartbeatInSeconds: heartbeat }),
    };
    if (this.plain)
      this.add('LambdaFunctionScheduled', { resource: this.visit.state.Resource, input, ...limits });
    else this.add('TaskScheduled', { ...this.of, region: this.run.region, parameters: input, ...limits });
  }

  started(): void {
    if (this.plain) this.add('LambdaFunctionStarted');
    else this.add('TaskStarted', this.of);
  }

  submitted(output: unknown): void {
    this.add('TaskSubmitted', { ...this.of, output });
  }

  succeeded(output: unknown): void {
    if (this.plain) this.add('LambdaFunctionSucceeded', { output });
    else this.add('TaskSucceeded', { ...this.of, output });
  }

  failed({ error, reason }: StateFailure): void {
    const end = error === 'States.Timeout' || error === 'States.HeartbeatTimeout' ? 'TimedOut' : 'Failed';
    const details = { error, cause: reason };
    if (this.plain) this.add(`LambdaFunction${end}`, details);
    else this.add(`Task${end}`, { ...this.of, ...details });
  }

  private add(type: string, details?: object): void {
    const { branch } = this.visit.frame;
    branch.lastEvent = this.run.history.add(type, branch.lastEvent, details);
  }
}
