import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import {
  ResourceError,
  type ResourceProvider,
  type ResourceRequest,
} from '../cloudformation/resource-provider';
import type { ExecutionStarter } from '../gateway/ports';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';
import { InvalidDefinition } from './definition';
import { ExecutionRegistry } from './executions';
import { StatesActions } from './states-actions';
import { StatesApiError } from './states-error';
import { TaskTokens } from './task-tokens';
import { TaskRunner, type TaskRunnerOptions } from './tasks';

export type StatesOptions = Omit<TaskRunnerOptions, 'environment'>;

type Json = Readonly<Record<string, unknown>>;
type Action = (given: Json) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** Callbacks are authorised by their token, not by a resource. */
const WITHOUT_RESOURCE = [
  'ListStateMachines',
  'ValidateStateMachineDefinition',
  'SendTaskSuccess',
  'SendTaskFailure',
  'SendTaskHeartbeat',
];

/** Step Functions for state machines written in JSONata. */
export class StatesService implements LocalService, ExecutionStarter {
  readonly signingName = 'states';
  readonly providers: readonly ResourceProvider[];
  readonly executions: ExecutionRegistry;
  readonly actions: StatesActions;

  constructor(
    private readonly environment: Environment,
    options: StatesOptions,
  ) {
    const tokens = new TaskTokens();
    const tasks = new TaskRunner({ ...options, environment });
    this.executions = new ExecutionRegistry(environment, tasks, tokens);
    this.actions = new StatesActions(environment, this.executions, tokens);
    this.providers = [
      {
        type: 'AWS::StepFunctions::StateMachine',
        emulated: [
          ...['StateMachineName', 'StateMachineType', 'RoleArn', 'DefinitionString', 'Definition'],
          ...['DefinitionSubstitutions', 'DefinitionS3Location'],
        ],
        ignored: {
          LoggingConfiguration: 'the history says all',
          TracingConfiguration: 'there is no X-Ray here',
          EncryptionConfiguration: 'nothing is encrypted at rest here',
          Tags: 'tags of state machines are not looked at',
        },
        create: (resource) => this.create(resource),
      },
    ];
  }

  async stop(): Promise<void> {
    await this.executions.stopAll();
  }

  startExecution(stateMachineArn: string, input: string): void {
    this.executions.start(this.actions.machine(stateMachineArn), input);
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    try {
      const action = (this.actions as unknown as Record<string, Action | undefined>)[operation];
      if (action === undefined || !/^[A-Z]/.test(operation))
        throw new StatesApiError(
          'InvalidAction',
          `The local engine does not emulate the Step Functions operation '${operation}'.`,
        );
      const given = JSON.parse((await bodyOf(request)).toString('utf8') || '{}') as Json;
      const refusal = this.environment.authorize({
        identity,
        action: `states:${operation}`,
        resource: resourceOf(operation, given),
      });
      if (refusal !== undefined) throw new StatesApiError('AccessDeniedException', refusal);
      answer(response, 200, await action.call(this.actions, given));
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

  private create(resource: ResourceRequest) {
    const { properties, generatedName } = resource;
    const name = String(properties['StateMachineName'] ?? generatedName.slice(0, 80));
    try {
      const { arn } = this.actions.createMachine(
        name,
        definitionOf(resource),
        String(properties['RoleArn']),
        properties['StateMachineType'] === 'EXPRESS' ? 'EXPRESS' : 'STANDARD',
      );
      return { ref: arn, attributes: { Arn: arn, Name: name, StateMachineRevisionId: 'INITIAL' } };
    } catch (error) {
      if (error instanceof InvalidDefinition) throw new ResourceError('DefinitionString', error.message);
      throw error;
    }
  }
}

export function createStates(environment: Environment, options: StatesOptions): StatesService {
  return new StatesService(environment, options);
}

function definitionOf({ properties, asset }: ResourceRequest): string {
  const { DefinitionString: text, Definition: object, DefinitionS3Location: location } = properties;
  let definition: string;
  if (typeof text === 'string') definition = text;
  else if (object !== undefined) definition = JSON.stringify(object);
  else {
    const { Bucket: bucket, Key: key } = (location ?? {}) as { Bucket?: unknown; Key?: unknown };
    definition = readFileSync(asset(String(bucket), String(key)), 'utf8');
  }
  const substitutions = (properties['DefinitionSubstitutions'] ?? {}) as Record<string, unknown>;
  return definition.replace(/\$\{([A-Za-z0-9_]+)\}/g, (whole, name: string) =>
    name in substitutions ? String(substitutions[name]) : whole,
  );
}

function resourceOf(operation: string, given: Json): string {
  if (WITHOUT_RESOURCE.includes(operation)) return '*';
  return String(given['stateMachineArn'] ?? given['executionArn'] ?? given['resourceArn'] ?? '*');
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
