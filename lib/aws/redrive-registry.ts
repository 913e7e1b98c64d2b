import {
  GetParameterCommand,
  GetParametersByPathCommand,
  ParameterNotFound,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { CodedError } from '../core/coded-error';
import type { ManagedQueue, QueueRegistry } from '../operations/redrive-ports';

/** Descriptions of queues in the parameter store, as the construct writes them. */
export class ParameterRegistry implements QueueRegistry {
  private readonly known = new Map<string, ManagedQueue>();

  /** `prefix` ends with a slash: `/cdk-redrive/STACK/` for one stack, `/cdk-redrive/` for all. */
  constructor(
    private readonly client: SSMClient,
    private readonly prefix: string,
  ) {}

  async named(name: string): Promise<ManagedQueue> {
    const known = this.known.get(name) ?? (await this.read(name));
    this.known.set(name, known);
    return known;
  }

  /** In whatever stack it is. Throws QUEUE_UNKNOWN. */
  async find(name: string): Promise<ManagedQueue> {
    const all = await this.list();
    const found = all.find((queue) => queue.name === name);
    if (found === undefined)
      throw unknownQueue(name, all.map((queue) => queue.name).join(', ') || 'none is registered');
    return found;
  }

  async list(): Promise<ManagedQueue[]> {
    const queues: ManagedQueue[] = [];
    let token: string | undefined;
    do {
      const { Parameters, NextToken } = await this.client.send(
        new GetParametersByPathCommand({
          Path: this.prefix.replace(/\/$/, ''),
          Recursive: true,
          ...(token === undefined ? {} : { NextToken: token }),
        }),
      );
      queues.push(...(Parameters ?? []).map(({ Value }) => JSON.parse(Value ?? '{}') as ManagedQueue));
      token = NextToken;
    } while (token !== undefined);
    return queues;
  }

  private async read(name: string): Promise<ManagedQueue> {
    try {
      const { Parameter } = await this.client.send(
        new GetParameterCommand({ Name: `${this.prefix}${name}` }),
      );
      return JSON.parse(Parameter?.Value ?? '{}') as ManagedQueue;
    } catch (error) {
      if (!(error instanceof ParameterNotFound)) throw error;
      throw unknownQueue(name, `a queue with a parameter ${this.prefix}NAME`);
    }
  }
}

function unknownQueue(given: string, allowed: string): CodedError {
  return new CodedError({
    code: 'QUEUE_UNKNOWN',
    problem: 'the redrive engine does not manage this queue',
    given,
    allowed,
    nextStep: 'list the queues with `redrive queues`, or add the queue to a stack',
  });
}
