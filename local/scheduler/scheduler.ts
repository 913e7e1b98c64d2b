import { randomUUID } from 'node:crypto';
import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { SchedulerApi, SchedulerError } from './scheduler-api';
import { Schedules } from './schedules';
import { type SchedulerPorts, WrongScheduleError } from './target';

export type { SchedulerPorts } from './target';

type Json = Readonly<Record<string, unknown>>;

/** EventBridge Scheduler: one call of a queue, topic, function or state machine at its time, as the schedule's role. */
export class SchedulerService implements LocalService {
  readonly signingName = 'scheduler';
  readonly providers: readonly ResourceProvider[];
  private readonly schedules: Schedules;
  private readonly api: SchedulerApi;

  constructor(environment: Environment, ports: SchedulerPorts) {
    this.schedules = new Schedules(environment, ports);
    this.api = new SchedulerApi(environment, this.schedules);
    this.providers = providersOf(this.schedules);
  }

  start(): void {
    this.schedules.start();
  }

  stop(): void {
    this.schedules.stop();
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const answer = (status: number, value: object, headers: Record<string, string> = {}): void => {
      const text = JSON.stringify(value);
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'x-amzn-requestid': randomUUID(),
        ...headers,
      });
      response.end(text);
    };
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const text = (await bodyOf(request)).toString('utf8');
    try {
      const path = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
      const body = JSON.parse(text || '{}') as Json;
      const { method = 'GET' } = request;
      answer(200, this.api.answer({ method, path, query: url.searchParams, body, identity }));
    } catch (error) {
      if (!(error instanceof SchedulerError)) throw error;
      answer(error.status, { Message: error.message }, { 'x-amzn-errortype': error.code });
    }
  }
}

/** Every port is handed over; a role needs no credentials here, since the engine decides by its ARN. */
export function createScheduler(environment: Environment, ports: SchedulerPorts): SchedulerService {
  return new SchedulerService(environment, ports);
}

function providersOf(schedules: Schedules): ResourceProvider[] {
  return [
    {
      type: 'AWS::Scheduler::Schedule',
      emulated: [
        ...['Name', 'GroupName', 'ScheduleExpression', 'ScheduleExpressionTimezone', 'StartDate', 'EndDate'],
        ...['State', 'Target', 'Description', 'ActionAfterCompletion'],
      ],
      ignored: {
        FlexibleTimeWindow: 'a schedule runs at the begin of its window',
        'Target.RetryPolicy': 'what fails goes to the dead-letter queue at once',
        KmsKeyArn: 'encryption at rest does not change what a caller sees',
      },
      create: ({ properties, generatedName }) => {
        const name = String(properties['Name'] ?? generatedName.slice(0, 64));
        const group = String(properties['GroupName'] ?? 'default');
        try {
          return { ref: name, attributes: { Arn: schedules.put(group, name, properties).arn } };
        } catch (error) {
          if (error instanceof WrongScheduleError) throw new ResourceError(error.property, error.message);
          throw error;
        }
      },
    },
    {
      type: 'AWS::Scheduler::ScheduleGroup',
      emulated: ['Name'],
      ignored: { Tags: 'tags of schedule groups are not looked at' },
      create: ({ properties, generatedName }) => {
        const name = String(properties['Name'] ?? generatedName.slice(0, 64));
        return { ref: name, attributes: { Arn: schedules.addGroup(name), State: 'ACTIVE' } };
      },
    },
  ];
}
