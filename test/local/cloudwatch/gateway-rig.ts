import { afterEach } from 'vitest';
import { SimulatedClock } from '../../../local/clock/simulated-clock';
import type { ResourceProvider } from '../../../local/cloudformation/resource-provider';
import { Gateway } from '../../../local/gateway/gateway';
import { Identities, OPERATOR_CREDENTIALS } from '../../../local/gateway/identities';
import type {
  ExecutionStarter,
  FunctionInvoker,
  OutgoingMessage,
  QueueSender,
  TopicPublisher,
} from '../../../local/gateway/ports';
import type { AccessRequest, EngineEvent, Environment, LocalService } from '../../../local/gateway/service';
import { fakeEnvironment } from '../fake-environment';

export const queueArn = (name: string): string => `arn:aws:sqs:eu-west-1:123456789012:${name}`;
export const functionArn = (name: string): string => `arn:aws:lambda:eu-west-1:123456789012:function:${name}`;
export const machineArn = (name: string): string =>
  `arn:aws:states:eu-west-1:123456789012:stateMachine:${name}`;
export const topicArn = (name: string): string => `arn:aws:sns:eu-west-1:123456789012:${name}`;
export const roleArn = (name: string): string => `arn:aws:iam::123456789012:role/${name}`;

/** What other services got: the far side of every port, which fails for names that hold 'broken'. */
export class Ports implements QueueSender, FunctionInvoker, TopicPublisher, ExecutionStarter {
  readonly sent: { readonly queue: string; readonly message: OutgoingMessage }[] = [];
  readonly invoked: { readonly name: string; readonly payload: unknown }[] = [];
  readonly published: { readonly topic: string; readonly subject?: string; readonly body: string }[] = [];
  readonly started: { readonly machine: string; readonly input: unknown }[] = [];
  /** All of them, as a service with many kinds of targets takes them. */
  readonly all = { queues: this, functions: this, topics: this, executions: this };

  send(arn: string, message: OutgoingMessage): void {
    this.sent.push({ queue: nameOf(arn), message });
  }

  async invoke(arn: string, payload: string) {
    this.invoked.push({ name: nameOf(arn), payload: JSON.parse(payload) });
    return { payload: 'null', requestId: 'r', logTail: '' };
  }

  publish(arn: string, message: { readonly subject?: string; readonly body: string }): void {
    this.published.push({ topic: nameOf(arn), ...message });
  }

  startExecution(arn: string, input: string): void {
    this.started.push({ machine: nameOf(arn), input: JSON.parse(input) });
  }
}

function nameOf(arn: string): string {
  const name = arn.split(':').at(-1) ?? '';
  if (name.includes('broken')) throw new Error(`${arn} does not exist`);
  return name;
}

export interface Rig {
  readonly clock: SimulatedClock;
  readonly ports: Ports;
  readonly events: EngineEvent[];
  readonly asked: AccessRequest[];
  readonly denied: Set<string>;
  readonly environment: Environment;
  /** Serves, and answers what the constructor of an SDK client takes. */
  serve(service: LocalService): Promise<ClientOptions>;
  eventsOf(type: string): readonly Readonly<Record<string, unknown>>[];
}

export interface ClientOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: typeof OPERATOR_CREDENTIALS;
  readonly maxAttempts: number;
}

const running: { readonly gateway: Gateway; readonly service: LocalService }[] = [];
afterEach(async () => {
  for (const { gateway, service } of running.splice(0)) {
    await service.stop?.();
    await gateway.stop();
  }
});

/** A gateway, a simulated clock that begins at Monday 2026-01-05 09:00 UTC, and ports that write down. */
export function rig(): Rig {
  const clock = new SimulatedClock();
  const events: EngineEvent[] = [];
  const asked: AccessRequest[] = [];
  const denied = new Set<string>();
  const environment = fakeEnvironment({
    clock,
    emit: (event) => events.push(event),
    authorize: (request) => {
      asked.push(request);
      return denied.has(request.action) ? `may not ${request.action}` : undefined;
    },
  });
  return {
    clock,
    ports: new Ports(),
    events,
    asked,
    denied,
    environment,
    serve: async (service) => {
      const gateway = new Gateway({ clock, identities: new Identities() });
      gateway.register(service);
      await gateway.listen();
      await service.start?.();
      running.push({ gateway, service });
      return {
        endpoint: gateway.endpoint(),
        region: 'eu-west-1',
        credentials: OPERATOR_CREDENTIALS,
        maxAttempts: 1,
      };
    },
    eventsOf: (type) => events.filter((event) => event.type === type).map(({ detail }) => detail),
  };
}

/** Creates a resource as the template reader does. */
export function create(
  { providers }: { readonly providers: readonly ResourceProvider[] },
  type: string,
  properties: Readonly<Record<string, unknown>>,
  logicalId = 'Thing',
) {
  const provider = providers.find((one) => one.type === type);
  if (provider === undefined) throw new Error(`nothing creates ${type}`);
  const known = [...provider.emulated, ...Object.keys(provider.ignored ?? {})];
  const unknown = Object.keys(properties).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${type} does not know ${unknown.join(', ')}`);
  return provider.create({
    stackName: 'app',
    logicalId,
    properties,
    account: '123456789012',
    region: 'eu-west-1',
    generatedName: `app-${logicalId}-1a2b3c4d`,
    asset: () => '',
  });
}
