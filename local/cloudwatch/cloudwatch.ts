import type { Timer } from '../clock/clock';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import type { FunctionInvoker, TopicPublisher } from '../gateway/ports';
import type {
  AccessRequest,
  Environment,
  Exchange,
  LocalService,
  MetricDatum,
  MetricSink,
} from '../gateway/service';
import { AlarmError } from './alarm-config';
import { Alarms } from './alarms';
import { CloudWatchActions, NotFoundError } from './cloudwatch-actions';
import { type MetricStore, MINUTE } from './metric-store';
import { type Call, readCall } from './protocol';
import { alarmArn, cloudWatchProviders } from './providers';

export interface CloudWatchOptions {
  /** The store into which every service reports; made before the services, by `createMetricStore`. */
  readonly store: MetricStore;
  readonly topics: TopicPublisher;
  readonly functions: FunctionInvoker;
}

type Json = Readonly<Record<string, unknown>>;
type Action = (given: Json) => Record<string, unknown>;

/** CloudWatch metrics and alarms, once for each minute of the engine's clock. */
export class CloudWatchService implements LocalService, MetricSink {
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
    this.providers = cloudWatchProviders(this.alarms, (name, body) =>
      this.actions.PutDashboard({ DashboardName: name, DashboardBody: body }),
    );
  }

  put(datum: MetricDatum): void {
    this.options.store.put(datum);
  }

  addSource(collect: () => Iterable<MetricDatum>): void {
    this.options.store.addSource(collect);
  }

  start(): void {
    const { clock } = this.environment;
    this.timer?.cancel();
    this.timer = clock.after(MINUTE - (clock.now() % MINUTE), () => {
      const now = clock.now();
      this.start();
      this.options.store.collect(now);
      this.alarms.evaluate(now);
    });
  }

  stop(): void {
    this.timer?.cancel();
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const call = await readCall(request, response);
    const { operation, given } = call;
    const action = /^[A-Z]/.test(operation)
      ? (this.actions as unknown as Record<string, Action | undefined>)[operation]
      : undefined;
    if (action === undefined) {
      const message = `The local engine does not emulate the CloudWatch operation '${operation}'.`;
      return call.refuse({ status: 400, code: 'InvalidAction', message });
    }
    for (const access of this.accessesOf(call)) {
      const message = this.environment.authorize({ identity, ...access });
      if (message !== undefined) return call.refuse({ status: 403, code: 'AccessDenied', message });
    }
    try {
      call.answer(action.call(this.actions, given));
    } catch (error) {
      if (error instanceof AlarmError)
        call.refuse({ status: 400, code: 'ValidationError', message: error.message });
      else if (error instanceof NotFoundError)
        call.refuse({ status: 404, code: 'ResourceNotFound', message: error.message });
      else throw error;
    }
  }

  /** https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html */
  private accessesOf({ operation, given }: Call): Omit<AccessRequest, 'identity'>[] {
    const { region, account } = this.environment;
    const action = `cloudwatch:${operation}`;
    if (operation === 'PutMetricData') {
      const context = { 'cloudwatch:namespace': String(given['Namespace']) };
      return [{ action, resource: '*', context }];
    }
    if (operation.includes('Alarm')) {
      const names = (given['AlarmNames'] ?? [given['AlarmName'] ?? '*']) as string[];
      return names.map((name) => ({ action, resource: alarmArn(region, account, name) }));
    }
    const dashboard = given['DashboardName'];
    const resource = dashboard === undefined ? '*' : `arn:aws:cloudwatch::${account}:dashboard/${dashboard}`;
    return [{ action, resource }];
  }
}

export function createCloudWatch(environment: Environment, options: CloudWatchOptions): CloudWatchService {
  return new CloudWatchService(environment, options);
}
