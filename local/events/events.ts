import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import { ResourceError } from '../cloudformation/resource-provider';
import { matches, type Pattern } from '../gateway/event-pattern';
import type { ExecutionStarter, FunctionInvoker, QueueSender, TopicPublisher } from '../gateway/ports';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';

export interface EventsOptions {
  readonly queues: QueueSender;
  readonly functions: FunctionInvoker;
  readonly topics: TopicPublisher;
  readonly executions: ExecutionStarter;
}

type Json = Readonly<Record<string, unknown>>;

interface Target {
  readonly arn: string;
  readonly input?: string;
  readonly inputPath?: string;
  readonly groupId?: string;
}

interface Rule {
  readonly name: string;
  readonly bus: string;
  readonly pattern: Pattern;
  readonly enabled: boolean;
  readonly targets: readonly Target[];
}

/** EventBridge: events that rules match go to queues, topics, functions and state machines. */
export class EventsService implements LocalService {
  readonly signingName = 'events';
  readonly providers: readonly ResourceProvider[];
  private readonly rules = new Map<string, Rule>();

  constructor(
    private readonly environment: Environment,
    private readonly options: EventsOptions,
  ) {
    this.providers = [
      {
        type: 'AWS::Events::Rule',
        emulated: ['Name', 'EventPattern', 'State', 'Targets', 'EventBusName'],
        ignored: {
          Description: 'a text for people',
          Tags: 'tags of rules are not looked at',
          RoleArn: 'targets are called as the service',
        },
        create: (resource) => {
          const { properties, generatedName, account, region } = resource;
          const name = String(properties['Name'] ?? generatedName.slice(0, 64));
          if (properties['EventPattern'] === undefined)
            throw new ResourceError(
              'EventPattern',
              'a rule without a pattern is not emulated; use AWS::Scheduler::Schedule for schedules',
            );
          this.rules.set(name, {
            name,
            bus: String(properties['EventBusName'] ?? 'default'),
            pattern: properties['EventPattern'] as Pattern,
            enabled: properties['State'] !== 'DISABLED',
            targets: ((properties['Targets'] ?? []) as Json[]).map(targetOf),
          });
          return { ref: name, attributes: { Arn: `arn:aws:events:${region}:${account}:rule/${name}` } };
        },
      },
    ];
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const given = JSON.parse((await bodyOf(request)).toString('utf8') || '{}') as Json;
    if (operation !== 'PutEvents')
      return answer(response, 400, {
        __type: 'InvalidAction',
        message: `The local engine does not emulate the EventBridge operation '${operation}'.`,
      });
    const { region, account } = this.environment;
    const entries = (given['Entries'] ?? []) as Json[];
    for (const bus of new Set(entries.map(({ EventBusName }) => String(EventBusName ?? 'default')))) {
      const resource = bus.startsWith('arn:') ? bus : `arn:aws:events:${region}:${account}:event-bus/${bus}`;
      const refusal = this.environment.authorize({ identity, action: 'events:PutEvents', resource });
      if (refusal !== undefined)
        return answer(response, 400, { __type: 'AccessDeniedException', message: refusal });
    }
    answer(response, 200, {
      FailedEntryCount: 0,
      Entries: entries.map((entry) => ({ EventId: this.put(entry) })),
    });
  }

  /** An event from a caller, or from a service of the engine. */
  put(entry: Json): string {
    const { clock, region, account } = this.environment;
    const event = {
      version: '0',
      id: randomUUID(),
      'detail-type': entry['DetailType'],
      source: entry['Source'],
      account,
      time: new Date(clock.now()).toISOString(),
      region,
      resources: entry['Resources'] ?? [],
      detail: JSON.parse(String(entry['Detail'] ?? '{}')) as unknown,
    };
    const detail = { source: event.source, detailType: event['detail-type'], detail: event.detail };
    this.environment.emit({ type: 'events.put', at: clock.now(), detail });
    const bus = String(entry['EventBusName'] ?? 'default')
      .split('/')
      .at(-1);
    for (const rule of this.rules.values())
      if (rule.enabled && rule.bus.split('/').at(-1) === bus && matches(rule.pattern, event))
        for (const target of rule.targets) this.deliver(target, event);
    return event.id;
  }

  private deliver({ arn, input, inputPath, groupId }: Target, event: Json): void {
    const body = input ?? JSON.stringify(inputPath === undefined ? event : at(event, inputPath));
    const service = arn.split(':')[2];
    try {
      if (service === 'sqs')
        this.options.queues.send(arn, { body, ...(groupId === undefined ? {} : { groupId }) });
      else if (service === 'sns') this.options.topics.publish(arn, { body });
      else if (service === 'states') this.options.executions.startExecution(arn, body);
      else if (service === 'lambda')
        this.options.functions.invoke(arn, body).catch((error) => this.failed(arn, error));
    } catch (error) {
      this.failed(arn, error);
    }
  }

  private failed(target: string, error: unknown): void {
    this.environment.emit({
      type: 'events.undelivered',
      at: this.environment.clock.now(),
      detail: { target, reason: String(error) },
    });
  }
}

export function createEvents(environment: Environment, options: EventsOptions): EventsService {
  return new EventsService(environment, options);
}

function targetOf(given: Json): Target {
  const arn = String(given['Arn']);
  if (!['sqs', 'sns', 'states', 'lambda'].includes(arn.split(':')[2] ?? ''))
    throw new ResourceError(
      'Targets',
      `the target ${arn} is not emulated; queues, topics, functions and state machines are`,
    );
  if (given['InputTransformer'] !== undefined)
    throw new ResourceError('Targets', 'InputTransformer is not emulated');
  const groupId = (given['SqsParameters'] as Json | undefined)?.['MessageGroupId'];
  return {
    arn,
    ...(given['Input'] === undefined ? {} : { input: String(given['Input']) }),
    ...(given['InputPath'] === undefined ? {} : { inputPath: String(given['InputPath']) }),
    ...(groupId === undefined ? {} : { groupId: String(groupId) }),
  };
}

/** `$.detail.input` and the like. */
function at(event: Json, path: string): unknown {
  return path
    .split('.')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Json | undefined)?.[name], event);
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
