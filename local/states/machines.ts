import type { Environment } from '../gateway/service';
import type { Definition } from './definition';
import { checkName, machineArnOf } from './names';
import { readDefinition } from './read-definition';
import { StatesApiError } from './states-error';
import { checkTasks, taskResourceOf } from './tasks';

export type MachineType = 'STANDARD' | 'EXPRESS';

export interface StateMachine {
  readonly arn: string;
  readonly name: string;
  readonly type: MachineType;
  readonly roleArn: string;
  readonly text: string;
  readonly definition: Definition;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type MachineSettings = Pick<StateMachine, 'text' | 'roleArn' | 'type'>;

/** Throws InvalidDefinition with the state's name. */
export async function checkedDefinition(text: string, type: MachineType): Promise<Definition> {
  const definition = readDefinition(text, (resource) => taskResourceOf(resource) !== undefined);
  await checkTasks(definition, type);
  return definition;
}

/** The state machines, and the tags on them. */
export class Machines {
  private readonly machines = new Map<string, StateMachine>();
  private readonly tags = new Map<string, Map<string, string>>();

  constructor(private readonly environment: Environment) {}

  arnOf(name: string): string {
    const { region, account } = this.environment;
    return `arn:aws:states:${region}:${account}:stateMachine:${name}`;
  }

  /** The same settings under the same name answer the existing machine; others are refused. */
  async create(name: string, settings: MachineSettings): Promise<StateMachine> {
    checkName(name);
    const existing = this.machines.get(this.arnOf(name));
    if (existing === undefined) return this.put(name, settings);
    const { text, roleArn, type } = existing;
    if (text === settings.text && roleArn === settings.roleArn && type === settings.type) return existing;
    throw new StatesApiError('StateMachineAlreadyExists', `State Machine Already Exists: '${existing.arn}'`);
  }

  /** Creates or replaces. What runs goes on with the definition that it began with. */
  async put(name: string, { text, roleArn, type }: MachineSettings): Promise<StateMachine> {
    checkName(name);
    const definition = await checkedDefinition(text, type);
    const arn = this.arnOf(name);
    const now = this.environment.clock.now();
    const createdAt = this.machines.get(arn)?.createdAt ?? now;
    const machine = { arn, name, type, roleArn, text, definition, createdAt, updatedAt: now };
    this.machines.set(arn, machine);
    return machine;
  }

  get(given: unknown): StateMachine {
    const machine = this.machines.get(machineArnOf(given));
    if (machine === undefined)
      throw new StatesApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${given}'`);
    return machine;
  }

  delete(given: unknown): void {
    const arn = machineArnOf(given);
    this.machines.delete(arn);
    this.tags.delete(arn);
  }

  all(): StateMachine[] {
    return [...this.machines.values()];
  }

  tagsOf(given: unknown): Map<string, string> {
    const arn = String(given);
    if (!this.machines.has(arn)) throw new StatesApiError('ResourceNotFound', `Resource not found: '${arn}'`);
    const tags = this.tags.get(arn) ?? new Map<string, string>();
    this.tags.set(arn, tags);
    return tags;
  }
}
