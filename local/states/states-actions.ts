import type { Environment } from '../gateway/service';
import { InvalidDefinition } from './definition';
import { describeEvent, describeExecution, describeMachine, summaryOf } from './descriptions';
import type { Execution, ExecutionRegistry } from './executions';
import { checkedDefinition, type Machines, type MachineType, type StateMachine } from './machines';
import { checkName, executionArnOf, machineArnOf, roleArnOf } from './names';
import { pageOf } from './paging';
import { StatesApiError } from './states-error';
import type { TaskTokens } from './task-tokens';

type Json = Readonly<Record<string, unknown>>;
type Answer = Record<string, unknown>;
/** Wraps a wait for something that needs time to pass. */
type Waiting = <T>(work: Promise<T>) => Promise<T>;

export interface StatesAction {
  /** ARN for the caller's rights; `*` where IAM has no resource level. */
  resource(given: Json): string;
  run(given: Json, waiting: Waiting): Answer | Promise<Answer>;
}

const anything = (): string => '*';
const machineOf = (given: Json): string => machineArnOf(given['stateMachineArn']);
const executionOf = (given: Json): string => executionArnOf(given['executionArn']);
const taggedOf = (given: Json): string => String(given['resourceArn']);

export class StatesActions {
  readonly operations: ReadonlyMap<string, StatesAction>;

  constructor(
    environment: Environment,
    private readonly machines: Machines,
    executions: ExecutionRegistry,
    tokens: TaskTokens,
  ) {
    this.operations = operationsOf(environment, machines, executions, tokens);
  }

  /** Throws StateMachineDoesNotExist. */
  machine(arn: string): StateMachine {
    return this.machines.get(arn);
  }
}

/** The API by operation name. https://docs.aws.amazon.com/step-functions/latest/apireference/API_Operations.html */
function operationsOf(
  environment: Environment,
  machines: Machines,
  executions: ExecutionRegistry,
  tokens: TaskTokens,
): ReadonlyMap<string, StatesAction> {
  const actions: Readonly<Record<string, StatesAction>> = {
    CreateStateMachine: {
      resource: (given) => machines.arnOf(String(given['name'])),
      run: async (given) => {
        const machine = await machines.create(textOf(given, 'name'), {
          text: textOf(given, 'definition'),
          roleArn: roleArnOf(given['roleArn']),
          type: typeOf(given),
        });
        setTags(machines, machine.arn, given['tags']);
        return { stateMachineArn: machine.arn, creationDate: machine.createdAt / 1000 };
      },
    },
    UpdateStateMachine: {
      resource: machineOf,
      run: async (given) => {
        const { name, text, roleArn, type } = machines.get(given['stateMachineArn']);
        const updated = await machines.put(name, {
          text: given['definition'] === undefined ? text : textOf(given, 'definition'),
          roleArn: given['roleArn'] === undefined ? roleArn : roleArnOf(given['roleArn']),
          type,
        });
        return { updateDate: updated.updatedAt / 1000 };
      },
    },
    DeleteStateMachine: {
      resource: machineOf,
      run: (given) => {
        machines.delete(given['stateMachineArn']);
        return {};
      },
    },
    DescribeStateMachine: {
      resource: machineOf,
      run: (given) => describeMachine(machines.get(given['stateMachineArn'])),
    },
    DescribeStateMachineForExecution: {
      resource: executionOf,
      run: (given) => {
        const { machine } = executions.get(given['executionArn']);
        const { status: _, creationDate: __, type: ___, ...described } = describeMachine(machine);
        return { ...described, updateDate: machine.updatedAt / 1000 };
      },
    },
    ListStateMachines: {
      resource: anything,
      run: (given) => {
        const all = machines.all();
        const { from, to, token } = pageOf(all.length, given);
        return { stateMachines: all.slice(from, to).map(machineSummary), ...token };
      },
    },
    ValidateStateMachineDefinition: {
      resource: anything,
      run: async (given) => {
        try {
          await checkedDefinition(textOf(given, 'definition'), typeOf(given));
          return { result: 'OK', diagnostics: [], truncated: false };
        } catch (error) {
          if (!(error instanceof InvalidDefinition)) throw error;
          const [code = '', ...message] = error.message.split(': ');
          const diagnostic = { severity: 'ERROR', code, message: message.join(': ') };
          return { result: 'FAIL', diagnostics: [diagnostic], truncated: false };
        }
      },
    },
    StartExecution: {
      resource: machineOf,
      run: (given) => {
        const execution = start(machines.get(given['stateMachineArn']), given);
        return { executionArn: execution.arn, startDate: execution.startedAt / 1000 };
      },
    },
    StartSyncExecution: {
      resource: machineOf,
      run: async (given, waiting) => {
        const machine = machines.get(given['stateMachineArn']);
        if (machine.type !== 'EXPRESS') throw unsupportedType();
        const execution = start(machine, given);
        await waiting(execution.finished);
        return describeExecution(execution);
      },
    },
    DescribeExecution: {
      resource: executionOf,
      run: (given) => describeExecution(standard(given)),
    },
    ListExecutions: {
      resource: machineOf,
      run: (given) => {
        const machine = machines.get(given['stateMachineArn']);
        if (machine.type === 'EXPRESS') throw unsupportedType();
        const wanted = given['statusFilter'];
        const all = executions
          .of(machine.arn)
          .filter(({ status }) => wanted === undefined || status === wanted);
        const { from, to, token } = pageOf(all.length, given);
        return { executions: all.slice(from, to).map(summaryOf), ...token };
      },
    },
    StopExecution: {
      resource: executionOf,
      run: async (given) => {
        const execution = standard(given);
        executions.stop(execution, optional(given, 'error'), optional(given, 'cause'));
        await execution.finished;
        return { stopDate: (execution.stoppedAt ?? environment.clock.now()) / 1000 };
      },
    },
    GetExecutionHistory: {
      resource: executionOf,
      run: (given) => {
        const { history } = standard(given);
        const { from, to, token } = pageOf(history.length, given);
        const total = history.length;
        const events =
          given['reverseOrder'] === true
            ? history.slice(total - to, total - from).reverse()
            : history.slice(from, to);
        const data = given['includeExecutionData'] !== false;
        return { events: events.map((event) => describeEvent(event, data)), ...token };
      },
    },
    // Callbacks are authorised by their token.
    SendTaskSuccess: callback((given) => tokens.succeed(given['taskToken'], given['output'])),
    SendTaskFailure: callback((given) => tokens.fail(given['taskToken'], given['error'], given['cause'])),
    SendTaskHeartbeat: callback((given) => tokens.heartbeat(given['taskToken'])),
    TagResource: {
      resource: taggedOf,
      run: (given) => {
        setTags(machines, given['resourceArn'], given['tags']);
        return {};
      },
    },
    UntagResource: {
      resource: taggedOf,
      run: (given) => {
        const tags = machines.tagsOf(given['resourceArn']);
        for (const key of (given['tagKeys'] ?? []) as string[]) tags.delete(key);
        return {};
      },
    },
    ListTagsForResource: {
      resource: taggedOf,
      run: (given) => ({
        tags: [...machines.tagsOf(given['resourceArn'])].map(([key, value]) => ({ key, value })),
      }),
    },
  };
  return new Map(Object.entries(actions));

  function start(machine: StateMachine, given: Json): Execution {
    const name = optional(given, 'name');
    if (name !== undefined) checkName(name);
    return executions.start(machine, optional(given, 'input'), name);
  }

  function standard(given: Json): Execution {
    const execution = executions.get(given['executionArn']);
    if (execution.machine.type === 'EXPRESS')
      throw new StatesApiError('InvalidArn', `Invalid Arn: '${execution.arn}' is an EXPRESS execution`);
    return execution;
  }
}

export function setTags(machines: Machines, arn: unknown, tags: unknown): void {
  for (const { key, value } of (tags ?? []) as { key: string; value: string }[])
    machines.tagsOf(arn).set(key, value);
}

function machineSummary({ arn, name, type, createdAt }: StateMachine): Answer {
  return { stateMachineArn: arn, name, type, creationDate: createdAt / 1000 };
}

function callback(run: (given: Json) => void): StatesAction {
  return {
    resource: anything,
    run: (given) => {
      run(given);
      return {};
    },
  };
}

function unsupportedType(): StatesApiError {
  return new StatesApiError(
    'StateMachineTypeNotSupported',
    'This operation is not supported by this type of state machine',
  );
}

function typeOf(given: Json): MachineType {
  return given['type'] === 'EXPRESS' ? 'EXPRESS' : 'STANDARD';
}

function optional(given: Json, name: string): string | undefined {
  return given[name] === undefined ? undefined : String(given[name]);
}

function textOf(given: Json, name: string): string {
  const text = given[name];
  if (typeof text !== 'string')
    throw new StatesApiError(
      'ValidationException',
      `Value at '${name}' failed to satisfy constraint: not null`,
    );
  return text;
}
