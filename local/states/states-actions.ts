import type { Environment } from '../gateway/service';
import { InvalidDefinition, readDefinition } from './definition';
import { checkName, type Execution, type ExecutionRegistry, type StateMachine } from './executions';
import type { HistoryEvent } from './history';
import { StatesApiError } from './states-error';
import type { TaskTokens } from './task-tokens';
import { taskResourceOf } from './tasks';

type Json = Readonly<Record<string, unknown>>;
type Answer = Record<string, unknown>;

const PAGE = 100;

export class StatesActions {
  readonly machines = new Map<string, StateMachine>();
  private readonly tags = new Map<string, Map<string, string>>();

  constructor(
    private readonly environment: Environment,
    private readonly executions: ExecutionRegistry,
    private readonly tokens: TaskTokens,
  ) {}

  /** Throws InvalidDefinition with the state's name. */
  createMachine(
    name: string,
    definition: string,
    roleArn: string,
    type: StateMachine['type'] = 'STANDARD',
  ): StateMachine {
    checkName(name);
    const { region, account, clock } = this.environment;
    const machine: StateMachine = {
      arn: `arn:aws:states:${region}:${account}:stateMachine:${name}`,
      name,
      type,
      roleArn,
      text: definition,
      definition: readDefinition(definition, (resource) => taskResourceOf(resource) !== undefined),
      createdAt: clock.now(),
    };
    this.machines.set(machine.arn, machine);
    return machine;
  }

  CreateStateMachine(given: Json): Answer {
    const machine = this.createMachine(
      String(given['name']),
      String(given['definition']),
      String(given['roleArn']),
      given['type'] === 'EXPRESS' ? 'EXPRESS' : 'STANDARD',
    );
    return { stateMachineArn: machine.arn, creationDate: machine.createdAt / 1000 };
  }

  UpdateStateMachine(given: Json): Answer {
    const machine = this.machine(given['stateMachineArn']);
    this.createMachine(
      machine.name,
      String(given['definition'] ?? machine.text),
      String(given['roleArn'] ?? machine.roleArn),
      machine.type,
    );
    return { updateDate: this.environment.clock.now() / 1000 };
  }

  DeleteStateMachine(given: Json): Answer {
    this.machines.delete(String(given['stateMachineArn']));
    return {};
  }

  DescribeStateMachine(given: Json): Answer {
    const machine = this.machine(given['stateMachineArn']);
    return {
      stateMachineArn: machine.arn,
      name: machine.name,
      status: 'ACTIVE',
      definition: machine.text,
      roleArn: machine.roleArn,
      type: machine.type,
      creationDate: machine.createdAt / 1000,
    };
  }

  DescribeStateMachineForExecution(given: Json): Answer {
    const { machine } = this.executions.get(given['executionArn']);
    return {
      ...this.DescribeStateMachine({ stateMachineArn: machine.arn }),
      updateDate: machine.createdAt / 1000,
    };
  }

  ListStateMachines(): Answer {
    return {
      stateMachines: [...this.machines.values()].map(({ arn, name, type, createdAt }) => ({
        stateMachineArn: arn,
        name,
        type,
        creationDate: createdAt / 1000,
      })),
    };
  }

  ValidateStateMachineDefinition(given: Json): Answer {
    try {
      readDefinition(String(given['definition']), (resource) => taskResourceOf(resource) !== undefined);
      return { result: 'OK', diagnostics: [] };
    } catch (error) {
      if (!(error instanceof InvalidDefinition)) throw error;
      const [code = '', ...message] = error.message.split(': ');
      return { result: 'FAIL', diagnostics: [{ severity: 'ERROR', code, message: message.join(': ') }] };
    }
  }

  StartExecution(given: Json): Answer {
    const execution = this.executions.start(
      this.machine(given['stateMachineArn']),
      given['input'] === undefined ? '{}' : String(given['input']),
      ...(given['name'] === undefined ? [] : [String(given['name'])]),
    );
    return { executionArn: execution.arn, startDate: execution.startedAt / 1000 };
  }

  async StartSyncExecution(given: Json): Promise<Answer> {
    const machine = this.machine(given['stateMachineArn']);
    if (machine.type !== 'EXPRESS')
      throw new StatesApiError(
        'StateMachineTypeNotSupported',
        'This operation is not supported by this type of state machine',
      );
    const execution = this.executions.start(
      machine,
      given['input'] === undefined ? '{}' : String(given['input']),
    );
    await execution.finished;
    return describe(execution);
  }

  DescribeExecution(given: Json): Answer {
    return describe(this.executions.get(given['executionArn']));
  }

  ListExecutions(given: Json): Answer {
    const { arn } = this.machine(given['stateMachineArn']);
    const all = this.executions
      .of(arn)
      .filter(({ status }) => given['statusFilter'] === undefined || status === given['statusFilter']);
    const { items, token } = page(all, given);
    return {
      executions: items.map(({ arn: executionArn, name, status, startedAt, stoppedAt }) => ({
        executionArn,
        stateMachineArn: arn,
        name,
        status,
        startDate: startedAt / 1000,
        ...(stoppedAt === undefined ? {} : { stopDate: stoppedAt / 1000 }),
      })),
      ...token,
    };
  }

  StopExecution(given: Json): Answer {
    const text = (name: string): string | undefined =>
      given[name] === undefined ? undefined : String(given[name]);
    this.executions.stop(this.executions.get(given['executionArn']), text('error'), text('cause'));
    return { stopDate: this.environment.clock.now() / 1000 };
  }

  GetExecutionHistory(given: Json): Answer {
    const { events } = this.executions.get(given['executionArn']).history;
    const ordered = given['reverseOrder'] === true ? [...events].reverse() : events;
    const { items, token } = page(ordered, given);
    return { events: items.map(eventOnTheWire), ...token };
  }

  SendTaskSuccess(given: Json): Answer {
    this.tokens.succeed(given['taskToken'], given['output']);
    return {};
  }

  SendTaskFailure(given: Json): Answer {
    this.tokens.fail(given['taskToken'], given['error'], given['cause']);
    return {};
  }

  SendTaskHeartbeat(given: Json): Answer {
    this.tokens.heartbeat(given['taskToken']);
    return {};
  }

  TagResource(given: Json): Answer {
    const tags = this.tags.get(String(given['resourceArn'])) ?? new Map<string, string>();
    for (const { key, value } of given['tags'] as { key: string; value: string }[]) tags.set(key, value);
    this.tags.set(String(given['resourceArn']), tags);
    return {};
  }

  UntagResource(given: Json): Answer {
    for (const key of given['tagKeys'] as string[]) this.tags.get(String(given['resourceArn']))?.delete(key);
    return {};
  }

  ListTagsForResource(given: Json): Answer {
    const tags = this.tags.get(String(given['resourceArn'])) ?? new Map<string, string>();
    return { tags: [...tags].map(([key, value]) => ({ key, value })) };
  }

  machine(arn: unknown): StateMachine {
    const machine = this.machines.get(String(arn));
    if (machine === undefined)
      throw new StatesApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${String(arn)}'`);
    return machine;
  }
}

function describe(execution: Execution): Answer {
  const { arn, name, machine, status, startedAt, stoppedAt, input, output, error, cause } = execution;
  return {
    executionArn: arn,
    stateMachineArn: machine.arn,
    name,
    status,
    input,
    startDate: startedAt / 1000,
    ...(stoppedAt === undefined ? {} : { stopDate: stoppedAt / 1000 }),
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
  };
}

function eventOnTheWire({ id, previousEventId, timestamp, type, details }: HistoryEvent): Answer {
  const [field, content] = details ?? [];
  // Inputs and outputs are kept as values, and are text on the wire.
  const text = Object.fromEntries(
    Object.entries(content ?? {}).map(([name, value]) => [
      name,
      (name === 'input' || name === 'output') && typeof value !== 'string' ? JSON.stringify(value) : value,
    ]),
  );
  return {
    id,
    previousEventId,
    timestamp: timestamp / 1000,
    type,
    ...(field === undefined ? {} : { [field]: text }),
  };
}

function page<T>(all: readonly T[], given: Json): { items: readonly T[]; token: Answer } {
  const from =
    given['nextToken'] === undefined
      ? 0
      : Number(Buffer.from(String(given['nextToken']), 'base64').toString());
  const count = Number(given['maxResults'] ?? PAGE);
  const more = from + count < all.length;
  return {
    items: all.slice(from, from + count),
    token: more ? { nextToken: Buffer.from(String(from + count)).toString('base64') } : {},
  };
}
