import { randomUUID } from 'node:crypto';
import type { Environment } from '../gateway/service';
import { Branch, EndSignal } from './branch';
import type { Definition } from './definition';
import { History } from './history';
import { runGraph } from './interpreter';
import { ExecutionEnded, MAXIMUM_DATA_BYTES, StateFailure, StatesApiError } from './states-error';
import type { TaskTokens } from './task-tokens';
import type { TaskRunner } from './tasks';

export interface StateMachine {
  readonly arn: string;
  readonly name: string;
  readonly type: 'STANDARD' | 'EXPRESS';
  readonly roleArn: string;
  readonly text: string;
  readonly definition: Definition;
  readonly createdAt: number;
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface Execution {
  readonly arn: string;
  readonly name: string;
  readonly machine: StateMachine;
  readonly input: string;
  readonly startedAt: number;
  readonly history: History;
  readonly end: EndSignal;
  readonly finished: Promise<void>;
  status: ExecutionStatus;
  stoppedAt?: number;
  output?: string;
  error?: string;
  cause?: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that Step Functions refuses
const FORBIDDEN_IN_NAMES = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f]/u;
/** How many ended executions are remembered. */
const KEPT = 10_000;

/** Runs executions and remembers them. */
export class ExecutionRegistry {
  private readonly executions = new Map<string, Execution>();

  constructor(
    private readonly environment: Environment,
    private readonly tasks: TaskRunner,
    private readonly tokens: TaskTokens,
  ) {}

  /** The same name with the same input while it runs answers the running one. */
  start(machine: StateMachine, input = '{}', name: string = randomUUID()): Execution {
    checkName(name);
    if (Buffer.byteLength(input) > MAXIMUM_DATA_BYTES)
      throw new StatesApiError(
        'InvalidExecutionInput',
        `The input is longer than ${MAXIMUM_DATA_BYTES} bytes.`,
      );
    let value: unknown;
    try {
      value = JSON.parse(input);
    } catch {
      throw new StatesApiError(
        'InvalidExecutionInput',
        `Invalid State Machine Execution Input: '${input.slice(0, 100)}'`,
      );
    }
    const arn = `${machine.arn.replace(':stateMachine:', ':execution:')}:${name}`;
    const existing = this.executions.get(arn);
    if (existing !== undefined) {
      if (existing.status === 'RUNNING' && existing.input === input) return existing;
      throw new StatesApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
    }
    const { clock } = this.environment;
    const history = new History(() => clock.now());
    let finish: () => void = () => {};
    const execution: Execution = {
      arn,
      name,
      machine,
      input,
      startedAt: clock.now(),
      history,
      end: new EndSignal(),
      finished: new Promise((resolve) => {
        finish = resolve;
      }),
      status: 'RUNNING',
    };
    this.executions.set(arn, execution);
    this.forgetOldest();
    this.count(machine, 'ExecutionsStarted', 1);
    this.emit('states.execution-started', { executionArn: arn });
    void this.run(execution, value).finally(finish);
    return execution;
  }

  stop(execution: Execution, error?: string, cause?: string): void {
    if (execution.status === 'RUNNING') execution.end.raise(new ExecutionEnded('ABORTED', error, cause));
  }

  stopAll(): Promise<unknown> {
    const running = [...this.executions.values()].filter(({ status }) => status === 'RUNNING');
    for (const execution of running) this.stop(execution);
    return Promise.all(running.map(({ finished }) => finished));
  }

  get(arn: unknown): Execution {
    const execution = this.executions.get(String(arn));
    if (execution === undefined)
      throw new StatesApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${String(arn)}'`);
    return execution;
  }

  of(machineArn: string): Execution[] {
    return [...this.executions.values()].filter(({ machine }) => machine.arn === machineArn).reverse();
  }

  async ended(
    arn: string,
  ): Promise<{ status: ExecutionStatus; output?: string; error?: string; cause?: string }> {
    const execution = this.get(arn);
    await execution.finished;
    const { status, output, error, cause } = execution;
    return {
      status,
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    };
  }

  private async run(execution: Execution, input: unknown): Promise<void> {
    const { machine, history, end } = execution;
    const { clock, region } = this.environment;
    const branch = new Branch(clock, end);
    branch.lastEvent = history.add('ExecutionStarted', 0, [
      'executionStartedEventDetails',
      { input: execution.input, roleArn: machine.roleArn },
    ]);
    const { TimeoutSeconds: timeout } = machine.definition;
    const timer =
      timeout === undefined
        ? undefined
        : clock.after(timeout * 1000, () => end.raise(new ExecutionEnded('TIMED_OUT')));
    try {
      const output = await runGraph(
        {
          history,
          tasks: this.tasks,
          tokens: this.tokens,
          ended: (arn) => this.ended(arn),
          roleArn: machine.roleArn,
          region,
          now: () => clock.now(),
          // real time: jitter is chance on AWS as well
          random: () => Math.random(),
          entered: (state) => this.emit('states.state-entered', { executionArn: execution.arn, state }),
        },
        {
          graph: machine.definition,
          variables: {},
          branch,
          context: contextOf(execution, input),
        },
        input,
      );
      execution.output = JSON.stringify(output);
      this.close(execution, 'SUCCEEDED', branch.lastEvent);
    } catch (error) {
      this.fail(execution, error, branch.lastEvent);
    } finally {
      timer?.cancel();
      branch.done();
    }
  }

  private fail(execution: Execution, problem: unknown, lastEvent: number): void {
    const ended =
      problem instanceof ExecutionEnded
        ? problem
        : problem instanceof StateFailure
          ? new ExecutionEnded('FAILED', problem.error, problem.reason)
          : new ExecutionEnded('FAILED', 'States.Runtime', String(problem));
    if (ended.error !== undefined) execution.error = ended.error;
    if (ended.reason !== undefined) execution.cause = ended.reason;
    execution.end.raise(ended);
    this.close(execution, ended.status, lastEvent);
  }

  private close(execution: Execution, status: Exclude<ExecutionStatus, 'RUNNING'>, lastEvent: number): void {
    const { clock } = this.environment;
    const { arn, machine, error, cause, output } = execution;
    execution.status = status;
    execution.stoppedAt = clock.now();
    const [type, metric] = ENDS[status];
    const details = status === 'SUCCEEDED' ? { output } : { error, cause };
    execution.history.add(type, lastEvent, [
      `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`,
      details,
    ]);
    this.count(machine, metric, 1);
    this.count(machine, 'ExecutionTime', execution.stoppedAt - execution.startedAt, 'Milliseconds');
    this.emit('states.execution-ended', {
      executionArn: arn,
      stateMachineArn: machine.arn,
      status,
      error,
      cause,
    });
  }

  private forgetOldest(): void {
    if (this.executions.size <= KEPT) return;
    for (const [arn, { status }] of this.executions)
      if (status !== 'RUNNING') {
        this.executions.delete(arn);
        return;
      }
  }

  private count({ arn }: StateMachine, name: string, value: number, unit = 'Count'): void {
    this.environment.metrics.put({
      namespace: 'AWS/States',
      name,
      dimensions: { StateMachineArn: arn },
      value,
      unit,
    });
  }

  private emit(type: string, detail: Readonly<Record<string, unknown>>): void {
    this.environment.emit({ type, at: this.environment.clock.now(), detail });
  }
}

const ENDS = {
  SUCCEEDED: ['ExecutionSucceeded', 'ExecutionsSucceeded'],
  FAILED: ['ExecutionFailed', 'ExecutionsFailed'],
  TIMED_OUT: ['ExecutionTimedOut', 'ExecutionsTimedOut'],
  ABORTED: ['ExecutionAborted', 'ExecutionsAborted'],
} as const;

function contextOf({ arn, name, machine, startedAt }: Execution, input: unknown): Record<string, unknown> {
  return {
    Execution: {
      Id: arn,
      Input: input,
      Name: name,
      RoleArn: machine.roleArn,
      StartTime: new Date(startedAt).toISOString(),
    },
    StateMachine: { Id: machine.arn, Name: machine.name },
  };
}

/** https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html#StepFunctions-StartExecution-request-name */
export function checkName(name: string): void {
  if (name.length < 1 || name.length > 80 || FORBIDDEN_IN_NAMES.test(name))
    throw new StatesApiError('InvalidName', `Invalid Name: '${name}'`);
}
