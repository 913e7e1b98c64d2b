import type { Environment, Identity } from '../gateway/service';
import type { Schedule, Schedules } from './schedules';
import { WrongScheduleError } from './target';

type Json = Readonly<Record<string, unknown>>;

/** An error of the API. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError';
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export interface ApiCall {
  readonly method: string;
  /** Decoded: `['schedules', 'NAME']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly identity: Identity;
}

/** https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Operations.html, without tags */
export class SchedulerApi {
  constructor(
    private readonly environment: Environment,
    private readonly schedules: Schedules,
  ) {}

  answer(call: ApiCall): Json {
    const [kind, name] = call.path;
    if (kind === 'schedules')
      return name === undefined ? this.listSchedules(call) : this.schedule(call, name);
    if (kind === 'schedule-groups')
      return name === undefined ? this.listGroups(call) : this.group(call, name);
    throw this.unknown(call);
  }

  private schedule(call: ApiCall, name: string): Json {
    const { method, body, query, identity } = call;
    const group = String(body['GroupName'] ?? query.get('groupName') ?? 'default');
    const arn = this.schedules.arnOf(group, name);
    const known = this.schedules.get(group, name);
    const existing = (): Schedule => {
      if (known !== undefined) return known;
      throw new SchedulerError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404);
    };
    switch (method) {
      case 'POST':
        this.authorize(identity, 'CreateSchedule', arn);
        if (known !== undefined)
          throw new SchedulerError('ConflictException', `Schedule ${name} already exists.`, 409);
        return this.put(call, group, name);
      case 'PUT':
        this.authorize(identity, 'UpdateSchedule', arn);
        existing();
        return this.put(call, group, name);
      case 'GET':
        this.authorize(identity, 'GetSchedule', arn);
        return described(existing());
      case 'DELETE':
        this.authorize(identity, 'DeleteSchedule', arn);
        existing();
        this.schedules.remove(group, name);
        return {};
      default:
        throw this.unknown(call);
    }
  }

  /** Whoever hands a role over needs the right to pass it. */
  private put({ body, identity }: ApiCall, group: string, name: string): Json {
    const role = (body['Target'] as Json | undefined)?.['RoleArn'];
    if (role !== undefined) {
      const context = { 'iam:PassedToService': 'scheduler.amazonaws.com' };
      const resource = String(role);
      const refusal = this.environment.authorize({ identity, action: 'iam:PassRole', resource, context });
      if (refusal !== undefined) throw new SchedulerError('AccessDeniedException', refusal, 403);
    }
    try {
      return { ScheduleArn: this.schedules.put(group, name, body).arn };
    } catch (error) {
      if (error instanceof WrongScheduleError)
        throw new SchedulerError('ValidationException', `${error.property}: ${error.message}`, 400);
      throw error;
    }
  }

  private listSchedules({ query, identity }: ApiCall): Json {
    this.authorize(identity, 'ListSchedules', '*');
    const [group, prefix, state] = [query.get('ScheduleGroup'), query.get('NamePrefix'), query.get('State')];
    return {
      Schedules: this.schedules
        .all()
        .filter(
          (schedule) =>
            (group === null || schedule.group === group) &&
            (prefix === null || schedule.name.startsWith(prefix)) &&
            (state === null || stateOf(schedule) === state),
        )
        .map((schedule) => ({
          Arn: schedule.arn,
          Name: schedule.name,
          GroupName: schedule.group,
          State: stateOf(schedule),
          Target: { Arn: schedule.target.Arn },
          CreationDate: schedule.createdAt / 1000,
          LastModificationDate: schedule.modifiedAt / 1000,
        })),
    };
  }

  private group(call: ApiCall, name: string): Json {
    const { method, identity } = call;
    const { region, account } = this.environment;
    const arn = `arn:aws:scheduler:${region}:${account}:schedule-group/${name}`;
    const known = this.schedules.groups.get(name);
    if (method === 'POST') {
      this.authorize(identity, 'CreateScheduleGroup', arn);
      if (known !== undefined)
        throw new SchedulerError('ConflictException', `Schedule group ${name} already exists.`, 409);
      return { ScheduleGroupArn: this.schedules.addGroup(name) };
    }
    if (method !== 'GET' && method !== 'DELETE') throw this.unknown(call);
    this.authorize(identity, method === 'GET' ? 'GetScheduleGroup' : 'DeleteScheduleGroup', arn);
    if (known === undefined)
      throw new SchedulerError('ResourceNotFoundException', `Schedule group ${name} does not exist.`, 404);
    if (method === 'GET')
      return { Name: name, Arn: arn, State: 'ACTIVE', CreationDate: known.createdAt / 1000 };
    if (name === 'default')
      throw new SchedulerError('ValidationException', 'The default schedule group stays.', 400);
    this.schedules.removeGroup(name);
    return {};
  }

  private listGroups({ identity }: ApiCall): Json {
    this.authorize(identity, 'ListScheduleGroups', '*');
    return {
      ScheduleGroups: [...this.schedules.groups].map(([Name, { arn, createdAt }]) => ({
        Name,
        Arn: arn,
        State: 'ACTIVE',
        CreationDate: createdAt / 1000,
      })),
    };
  }

  private authorize(identity: Identity, operation: string, resource: string): void {
    const refusal = this.environment.authorize({ identity, action: `scheduler:${operation}`, resource });
    if (refusal !== undefined) throw new SchedulerError('AccessDeniedException', refusal, 403);
  }

  private unknown({ method, path }: ApiCall): SchedulerError {
    const what = `${method} /${path.join('/')}`;
    return new SchedulerError(
      'ValidationException',
      `The local engine does not emulate ${what} of EventBridge Scheduler.`,
      400,
    );
  }
}

function described(schedule: Schedule): Json {
  return {
    Arn: schedule.arn,
    Name: schedule.name,
    GroupName: schedule.group,
    Description: schedule.description,
    ScheduleExpression: schedule.text,
    ScheduleExpressionTimezone: schedule.timeZone,
    StartDate: schedule.startsAt === undefined ? undefined : schedule.startsAt / 1000,
    EndDate: schedule.endsAt === undefined ? undefined : schedule.endsAt / 1000,
    State: stateOf(schedule),
    Target: schedule.target,
    FlexibleTimeWindow: schedule.flexibleTimeWindow,
    ActionAfterCompletion: schedule.deleteWhenDone ? 'DELETE' : 'NONE',
    CreationDate: schedule.createdAt / 1000,
    LastModificationDate: schedule.modifiedAt / 1000,
  };
}

function stateOf({ enabled }: Schedule): string {
  return enabled ? 'ENABLED' : 'DISABLED';
}
