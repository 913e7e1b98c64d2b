import { randomUUID } from 'node:crypto';
import type { Environment } from '../gateway/service';
import { Branch, EndSignal } from './branch';
import { describeExecution } from './descriptions';
import { History } from './history';
import { runGraph } from './interpreter';
import type { StateMachine } from './machines';
import { checkName, executionArnOf } from './names';
import { ExecutionEnded, isTooLong, MAXIMUM_DATA_BYTES, StateFailure, StatesApiError } from './states-error';
import type { TaskTokens } from './task-tokens';
import type { TaskRunner } from './tasks';
import type { EndedExecution, Interpretation, Variables } from './visit';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface Execution {
  readonly arn: string;
  readonly name: string;
  /** As it was when the execution began. */
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

/** How many ended executions are remembered, and how many events of theirs: about 100 bytes each and the values. */
const KEPT = 10_000;
const KEPT_EVENTS = 5_000_000;
/** https://docs.aws.amazon.com/step-functions/latest/dg/choosing-workflow-type.html */
const EXPRESS_SECONDS = 300;

const ENDS = {
  SUCCEEDED: ['ExecutionSucceeded', 'ExecutionsSucceeded'],
  FAILED: ['ExecutionFailed', 'ExecutionsFailed'],
  TIMED_OUT: ['ExecutionTimedOut', 'ExecutionsTimedOut'],
  ABORTED: ['ExecutionAborted', 'ExecutionsAborted'],
} as const;

/** Runs executions and remembers them. */
export class ExecutionRegistry {
  private readonly executions = new Map<string, Execution>();
  private readonly ended: Execution[] = [];
  private endedEvents = 0;

  constructor(
    private readonly environment: Environment,
    private readonly tasks: TaskRunner,
    private readonly tokens: TaskTokens,
  ) {}

  /** The same name with the same input while it runs answers the running one. */
  start(machine: StateMachine, input = '{}', name: string = randomUUID()): Execution {
    checkName(name);
    const value = parsedInput(input);
    const arn = executionArn(machine, name);
    const existing = this.executions.get(arn);
    if (existing !== undefined) {
      if (existing.status === 'RUNNING' && existing.input === input) return existing;
      throw new StatesApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
    }
    const { clock } = this.environment;
    let finish: () => void = () => {};
    const execution: Execution = {
      arn,
      name,
      machine,
      input,
      startedAt: clock.now(),
      history: new History(
        () => clock.now(),
        machine.type === 'EXPRESS' ? Number.POSITIVE_INFINITY : undefined,
      ),
      end: new EndSignal(),
      finished: new Promise((resolve) => {
        finish = resolve;
      }),
      status: 'RUNNING',
    };
    this.executions.set(arn, execution);
    this.count(machine, 'ExecutionsStarted', 1);
    this.emit('states.execution-started', { executionArn: arn, stateMachineArn: machine.arn });
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

  get(given: unknown): Execution {
    const execution = this.executions.get(executionArnOf(given));
    if (execution === undefined)
      throw new StatesApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${String(given)}'`);
    return execution;
  }

  /** The newest first. */
  of(machineArn: string): Execution[] {
    return [...this.executions.values()].filter(({ machine }) => machine.arn === machineArn).reverse();
  }

  private async endOf(arn: string): Promise<EndedExecution> {
    const execution = this.get(arn);
    await execution.finished;
    return { status: execution.status, description: describeExecution(execution) };
  }

  private async run(execution: Execution, input: unknown): Promise<void> {
    const { machine, history, end } = execution;
    const { clock } = this.environment;
    const branch = new Branch(clock, end);
    branch.lastEvent = history.add('ExecutionStarted', 0, { input, roleArn: machine.roleArn });
    const seconds = secondsOf(machine);
    const timer =
      seconds === undefined
        ? undefined
        : clock.after(seconds * 1000, () => end.raise(new ExecutionEnded('TIMED_OUT')));
    const frame = {
      graph: machine.definition,
      variables: Object.create(null) as Variables,
      branch,
      context: contextOf(execution, input),
    };
    try {
      const output = await runGraph(this.interpretation(execution), frame, input);
      execution.output = JSON.stringify(output);
      this.close(execution, 'SUCCEEDED', branch.lastEvent, { output });
    } catch (error) {
      this.fail(execution, error, branch.lastEvent);
    } finally {
      timer?.cancel();
      branch.done();
    }
  }

  private interpretation({ arn, machine, history }: Execution): Interpretation {
    const { clock, region } = this.environment;
    return {
      history,
      tasks: this.tasks,
      tokens: this.tokens,
      ended: (other) => this.endOf(other),
      abandon: (other) => this.stop(this.get(other)),
      roleArn: machine.roleArn,
      region,
      now: () => clock.now(),
      // real time: jitter is chance on AWS as well
      random: () => Math.random(),
      entered: (state) => this.emit('states.state-entered', { executionArn: arn, state }),
      graph: runGraph,
    };
  }

  private fail(execution: Execution, problem: unknown, lastEvent: number): void {
    const ended =
      problem instanceof ExecutionEnded
        ? problem
        : problem instanceof StateFailure
          ? new ExecutionEnded('FAILED', problem.error || undefined, problem.reason || undefined)
          : new ExecutionEnded('FAILED', 'States.Runtime', String(problem));
    const { error, reason: cause } = ended;
    if (error !== undefined) execution.error = error;
    if (cause !== undefined) execution.cause = cause;
    execution.end.raise(ended);
    this.close(execution, ended.status, lastEvent, {
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    });
  }

  private close(
    execution: Execution,
    status: Exclude<ExecutionStatus, 'RUNNING'>,
    lastEvent: number,
    details: object,
  ): void {
    const { arn, machine, error, cause, startedAt, history } = execution;
    const stoppedAt = this.environment.clock.now();
    execution.status = status;
    execution.stoppedAt = stoppedAt;
    const [type, metric] = ENDS[status];
    history.add(type, lastEvent, details);
    this.count(machine, metric, 1);
    this.count(machine, 'ExecutionTime', stoppedAt - startedAt, 'Milliseconds');
    const detail = { executionArn: arn, stateMachineArn: machine.arn, status, error, cause };
    this.emit('states.execution-ended', detail);
    this.ended.push(execution);
    this.endedEvents += history.length;
    this.forgetOldest();
  }

  private forgetOldest(): void {
    while (this.ended.length > KEPT || (this.endedEvents > KEPT_EVENTS && this.ended.length > 1)) {
      const oldest = this.ended.shift() as Execution;
      this.endedEvents -= oldest.history.length;
      this.executions.delete(oldest.arn);
    }
  }

  private count({ arn }: StateMachine, name: string, value: number, unit = 'Count'): void {
    const dimensions = { StateMachineArn: arn };
    this.environment.metrics.put({ namespace: 'AWS/States', name, dimensions, value, unit });
  }

  private emit(type: string, detail: Readonly<Record<string, unknown>>): void {
    this.environment.emit({ type, at: this.environment.clock.now(), detail });
  }
}

function parsedInput(input: string): unknown {
  if (isTooLong(input))
    throw new StatesApiError(
      'InvalidExecutionInput',
      `The input is longer than ${MAXIMUM_DATA_BYTES} bytes.`,
    );
  try {
    return JSON.parse(input);
  } catch {
    const start = input.slice(0, 100);
    throw new StatesApiError('InvalidExecutionInput', `Invalid State Machine Execution Input: '${start}'`);
  }
}

/** Executions of an EXPRESS machine may share a name. */
function executionArn({ arn, type }: StateMachine, name: string): string {
  return type === 'EXPRESS'
    ? `${arn.replace(':stateMachine:', ':express:')}:${name}:${randomUUID()}`
    : `${arn.replace(':stateMachine:', ':execution:')}:${name}`;
}

function secondsOf({ type, definition }: StateMachine): number | undefined {
  const { TimeoutSeconds: seconds } = definition;
  return type === 'EXPRESS' ? Math.min(seconds ?? EXPRESS_SECONDS, EXPRESS_SECONDS) : seconds;
}

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
