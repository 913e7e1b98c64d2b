import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ResourceProvider } from '../cloudformation/resource-provider';
import type { ExecutionStarter } from '../gateway/ports';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { InvalidDefinition } from './definition';
import { ExecutionRegistry } from './executions';
import { isObject } from './field-checks';
import { Machines } from './machines';
import { statesProviders } from './providers';
import { StatesActions } from './states-actions';
import { StatesApiError } from './states-error';
import { TaskTokens } from './task-tokens';
import { TaskRunner, type TaskRunnerOptions } from './tasks';

export type StatesOptions = Omit<TaskRunnerOptions, 'environment'>;

/** Step Functions for state machines written in JSONata. */
export class StatesService implements LocalService, ExecutionStarter {
  readonly signingName = 'states';
  readonly providers: readonly ResourceProvider[];
  readonly executions: ExecutionRegistry;
  readonly machines: Machines;
  readonly actions: StatesActions;
  private readonly tasks: TaskRunner;

  constructor(
    private readonly environment: Environment,
    options: StatesOptions,
  ) {
    const tokens = new TaskTokens();
    this.tasks = new TaskRunner({ ...options, environment });
    this.machines = new Machines(environment);
    this.executions = new ExecutionRegistry(environment, this.tasks, tokens);
    this.actions = new StatesActions(environment, this.machines, this.executions, tokens);
    this.providers = statesProviders(this.machines);
  }

  async stop(): Promise<void> {
    await this.executions.stopAll();
    this.tasks.close();
  }

  startExecution(stateMachineArn: string, input: string): void {
    this.executions.start(this.machines.get(stateMachineArn), input);
  }

  async handle(exchange: Exchange): Promise<void> {
    const { request, response, identity } = exchange;
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    try {
      const action = this.actions.operations.get(operation);
      if (action === undefined)
        throw new StatesApiError(
          'UnknownOperationException',
          `The local engine does not emulate the Step Functions operation '${operation}'.`,
        );
      const given = parse(await bodyOf(request));
      const resource = action.resource(given);
      const refusal = this.environment.authorize({ identity, action: `states:${operation}`, resource });
      if (refusal !== undefined) throw new StatesApiError('AccessDeniedException', refusal);
      const waiting = async <T>(work: Promise<T>): Promise<T> => {
        const proceed = exchange.waiting?.();
        return work.finally(() => proceed?.());
      };
      answer(response, 200, await action.run(given, waiting));
    } catch (error) {
      if (error instanceof StatesApiError)
        answer(response, error.status, { __type: error.code, message: error.message });
      else if (error instanceof InvalidDefinition)
        answer(response, 400, {
          __type: 'InvalidDefinition',
          message: `Invalid State Machine Definition: '${error.message}'`,
        });
      else throw error;
    }
  }
}

export function createStates(environment: Environment, options: StatesOptions): StatesService {
  return new StatesService(environment, options);
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8') || '{}');
    if (isObject(value)) return value;
  } catch {
    // answered below, as for any other body that is not an object
  }
  throw new StatesApiError('SerializationException', 'The request body is not a JSON object');
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
