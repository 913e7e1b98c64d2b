import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Timer } from '../clock/clock';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import type { FunctionInvoker, TopicPublisher } from '../gateway/ports';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { AlarmError } from './alarm-config';
import { Alarms } from './alarms';
import { CloudWatchActions } from './cloudwatch-actions';
import { type MetricStore, MINUTE } from './metric-store';
import { cloudWatchProviders } from './providers';

export interface CloudWatchOptions {
  readonly store: MetricStore;
  readonly topics: TopicPublisher;
  readonly functions: FunctionInvoker;
}

type Json = Readonly<Record<string, unknown>>;
type Action = (given: Json) => Record<string, unknown>;

/** CloudWatch metrics and alarms, once for each minute of the engine's clock. */
export class CloudWatchService implements LocalService {
  readonly signingName = 'monitoring';
  readonly providers: readonly ResourceProvider[];
  readonly alarms: Alarms;
  private readonly actions: CloudWatchActions;
  private timer: Timer | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly options: CloudWatchOptions,
  ) {
    this.alarms = new Alarms(environment, options.store, options);
    this.actions = new CloudWatchActions(environment, options.store, this.alarms);
    this.providers = cloudWatchProviders(this.alarms, this.actions.dashboards);
  }

  start(): void {
    const { clock } = this.environment;
    this.timer = clock.after(MINUTE - (clock.now() % MINUTE), () => {
      const now = clock.now();
      this.options.store.collect(now);
      this.alarms.evaluate(now);
      this.start();
    });
  }

  stop(): void {
    this.timer?.cancel();
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const action = (this.actions as unknown as Record<string, Action | undefined>)[operation];
    if (action === undefined || !/^[A-Z]/.test(operation))
      return answer(response, 400, {
        __type: 'InvalidAction',
        message: `The local engine does not emulate the CloudWatch operation '${operation}'.`,
      });
    const given = JSON.parse((await bodyOf(request)).toString('utf8') || '{}') as Json;
    const names = given['AlarmNames'] as string[] | undefined;
    const { region, account } = this.environment;
    const alarmArn = (name: string): string => `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
    for (const resource of operation.includes('Alarm') && names !== undefined ? names.map(alarmArn) : ['*']) {
      const refusal = this.environment.authorize({ identity, action: `cloudwatch:${operation}`, resource });
      if (refusal !== undefined) return answer(response, 403, { __type: 'AccessDenied', message: refusal });
    }
    try {
      answer(response, 200, action.call(this.actions, given));
    } catch (error) {
      if (!(error instanceof AlarmError)) throw error;
      answer(response, 400, { __type: 'ValidationError', message: error.message });
    }
  }
}

export function createCloudWatch(environment: Environment, options: CloudWatchOptions): CloudWatchService {
  return new CloudWatchService(environment, options);
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
  });
  response.end(body);
}
