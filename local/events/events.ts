import { randomUUID } from 'node:crypto';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import { answerWithError } from '../gateway/aws-error';
import { bodyOf } from '../gateway/request-body';
import type { AccessRequest, Environment, Exchange, LocalService } from '../gateway/service';
import { busArn, busOf, EventsActions, EventsError } from './events-actions';
import { eventsProviders } from './providers';
import { Rules } from './rules';
import { type EventsPorts, WrongRuleError } from './targets';

export type EventsOptions = EventsPorts;

type Json = Readonly<Record<string, unknown>>;
type Action = (given: Json) => Record<string, unknown>;
type Access = Omit<AccessRequest, 'identity'>;

/** EventBridge: events that rules match, and schedules of rules, go to queues, topics, functions and state machines. */
export class EventsService implements LocalService {
  readonly signingName = 'events';
  readonly providers: readonly ResourceProvider[];
  private readonly rules: Rules;
  private readonly actions: EventsActions;

  constructor(
    private readonly environment: Environment,
    ports: EventsOptions,
  ) {
    this.rules = new Rules(environment, ports);
    this.actions = new EventsActions(environment, this.rules);
    this.providers = eventsProviders(this.rules);
  }

  start(): void {
    this.rules.start();
  }

  stop(): void {
    this.rules.stop();
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const refuse = (code: string, message: string): void =>
      answerWithError(request, response, { status: 400, code, message }, 'events');
    const given = JSON.parse((await bodyOf(request)).toString('utf8') || '{}') as Json;
    const action = /^[A-Z]/.test(operation)
      ? (this.actions as unknown as Record<string, Action | undefined>)[operation]
      : undefined;
    if (action === undefined)
      return refuse(
        'InvalidAction',
        `The local engine does not emulate the EventBridge operation '${operation}'.`,
      );
    for (const access of this.accessesOf(operation, given)) {
      const refusal = this.environment.authorize({ identity, ...access });
      if (refusal !== undefined) return refuse('AccessDeniedException', refusal);
    }
    try {
      const body = JSON.stringify(action.call(this.actions, given));
      response.writeHead(200, {
        'content-type': 'application/x-amz-json-1.1',
        'content-length': Buffer.byteLength(body),
        'x-amzn-requestid': randomUUID(),
      });
      response.end(body);
    } catch (error) {
      if (error instanceof EventsError) refuse(error.code, error.message);
      else if (error instanceof WrongRuleError)
        refuse('ValidationException', `${error.property}: ${error.message}`);
      else throw error;
    }
  }

  /** https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoneventbridge.html */
  private accessesOf(operation: string, given: Json): Access[] {
    const action = `events:${operation}`;
    if (operation === 'PutEvents') {
      const buses = new Set(
        ((given['Entries'] ?? []) as Json[]).map((entry) => busOf(entry['EventBusName'])),
      );
      return [...buses].map((bus) => ({ action, resource: busArn(this.environment, bus) }));
    }
    if (operation.includes('EventBus'))
      return [
        {
          action,
          resource: given['Name'] === undefined ? '*' : busArn(this.environment, busOf(given['Name'])),
        },
      ];
    const name = given['Name'] ?? given['Rule'];
    const resource = name === undefined ? '*' : this.rules.arnOf(busOf(given['EventBusName']), String(name));
    const roles = ((given['Targets'] ?? []) as Json[]).flatMap(({ RoleArn }) =>
      RoleArn === undefined ? [] : [String(RoleArn)],
    );
    const passes = roles.map((role) => ({
      action: 'iam:PassRole',
      resource: role,
      context: { 'iam:PassedToService': 'events.amazonaws.com' },
    }));
    return [{ action, resource }, ...passes];
  }
}

export function createEvents(environment: Environment, ports: EventsOptions): EventsService {
  return new EventsService(environment, ports);
}
