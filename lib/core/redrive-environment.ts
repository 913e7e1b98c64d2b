/** Names of the environment variables through which the construct tells the steps of a redrive what they work with. */
export const REDRIVE_ENVIRONMENT = {
  failureTable: 'REDRIVE_FAILURE_TABLE',
  /** Prefix of the parameters that describe the queues which may be redriven. */
  registry: 'REDRIVE_REGISTRY',
} as const;

/** Source of the events that runs put on the default event bus. */
export const EVENT_SOURCE = 'cdk-redrive';

/** Every queue of an account and region is found under this path in the parameter store. */
export const REGISTRY_ROOT = '/cdk-redrive';

/** Where a queue is described; with an empty queue name the prefix for the queues of a stack. */
export function registryName(stackName: string, queueName: string): string {
  return `${REGISTRY_ROOT}/${stackName}/${queueName}`;
}
