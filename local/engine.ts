import type { Clock } from './clock/clock';
import { SystemClock } from './clock/system-clock';
import { type Assembly, loadAssembly } from './cloudformation/assembly';
import { deploy } from './cloudformation/deploy';
import type { NotEmulated } from './cloudformation/finding';
import type { ResourceProvider } from './cloudformation/resource-provider';
import type { DeployedResource } from './cloudformation/stack-deployment';
import { Gateway } from './gateway/gateway';
import { type Credentials, Identities, OPERATOR_CREDENTIALS } from './gateway/identities';
import { SecurityTokenService } from './gateway/security-token-service';
import type { EngineEvent, Environment, LocalService, MetricSink } from './gateway/service';
import { createIam, type Iam } from './iam/iam';
import { withTrustCheck } from './iam/trust-check';
import type { DeniedCall, UnusedGrant } from './iam/usage-ledger';
import { findResources } from './resource-search';

export interface EngineOptions {
  /** A `cdk.out` folder, or one JSON template. */
  readonly assembly: string;
  /** Default: real time. */
  readonly clock?: Clock;
  /** Of the endpoint on 127.0.0.1; 0, the default, takes a free one. */
  readonly port?: number;
  /** Where data outlives the process. Absent: everything is in memory. */
  readonly dataFolder?: string;
  /** Default: that of the first stack which names one, else 123456789012. */
  readonly account?: string;
  /** Default: that of the first stack which names one, else eu-west-1. */
  readonly region?: string;
  /** Values of template parameters by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  onEvent?(event: EngineEvent): void;
  /** False: calls that a role may not make are written down and let through. Default true. */
  readonly enforceIam?: boolean;
}

export interface ClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: Credentials;
}

export interface LocalEngine<Services> {
  readonly endpoint: string;
  readonly account: string;
  readonly region: string;
  readonly clock: Clock;
  /** Output values by stack name and output. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly resources: readonly DeployedResource[];
  readonly notEmulated: readonly NotEmulated[];
  /** The services in process, for tests that look inside. */
  readonly services: Services;
  /** By type, logical id (with or without `STACK/`) or construct path (`STACK/ID`, as written in the app). */
  find(what: string): readonly DeployedResource[];
  /** The one resource that `find` answers. Throws when there is none, or more than one. */
  get(what: string): DeployedResource;
  /** For the constructor of any SDK client: as the person at the keyboard, or as a role. */
  clientConfig(roleArn?: string): ClientConfig;
  unusedGrants(): readonly UnusedGrant[];
  deniedCalls(): readonly DeniedCall[];
  /** Ends everything. Calling it twice is harmless. */
  stop(): Promise<void>;
}

export interface Composition<Services> {
  readonly services: Services;
  /** Every service that the gateway serves, in the order in which they start; they stop in reverse. */
  readonly served: readonly LocalService[];
  /** Of resources that nothing serves, such as keys. */
  readonly extraProviders?: readonly ResourceProvider[];
  storedParameter?(name: string): string | undefined;
  /** Told once, when every resource exists. */
  deployed?(resources: readonly DeployedResource[]): void;
}

export interface Foundation {
  readonly clock: Clock;
  readonly account: string;
  readonly region: string;
  readonly iam: Iam;
  credentialsFor(roleArn: string): Credentials;
  emit(event: EngineEvent): void;
  /** What every service gets. */
  environment(metrics: MetricSink): Environment;
}

/**
 * Deploys an assembly on the services that `compose` makes, and serves them on 127.0.0.1.
 * Throws a TemplateError when the assembly asks for anything that is not emulated; nothing is left running then.
 */
export async function startEngine<Services>(
  options: EngineOptions,
  compose: (foundation: Foundation) => Composition<Services>,
): Promise<LocalEngine<Services>> {
  const assembly = loadAssembly(options.assembly);
  const { clock = new SystemClock() } = options;
  const account = options.account ?? environmentOf(assembly, 'account') ?? '123456789012';
  const region = options.region ?? environmentOf(assembly, 'region') ?? 'eu-west-1';
  const emit = quietly(options.onEvent);
  const iam = createIam({ clock, account, region, emit }, { enforce: options.enforceIam ?? true });
  const identities = new Identities();
  const gateway = new Gateway({
    clock,
    identities,
    ...(options.port === undefined ? {} : { port: options.port }),
    onFailure: (signingName, error) =>
      emit({
        type: 'gateway.failure',
        at: clock.now(),
        detail: { service: signingName, error: String(error) },
      }),
  });
  const environment = (metrics: MetricSink): Environment => ({
    clock,
    account,
    region,
    endpoint: () => gateway.endpoint(),
    ...(options.dataFolder === undefined ? {} : { dataFolder: options.dataFolder }),
    metrics,
    authorize: (request) => iam.authorize(request),
    emit,
  });
  const credentialsFor = (roleArn: string): Credentials => identities.credentialsFor(roleArn);
  const composition = compose({ clock, account, region, iam, credentialsFor, emit, environment });
  const tokens = new SecurityTokenService(environment(SILENT), identities, (roleArn) => iam.hasRole(roleArn));
  const served: readonly LocalService[] = [tokens, ...composition.served];

  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      const failures: unknown[] = [];
      for (const service of [...served].reverse())
        try {
          await service.stop?.();
        } catch (error) {
          failures.push(error);
        }
      await gateway.stop();
      if (failures.length > 0)
        throw new AggregateError(failures, 'services of the local engine did not stop');
    })();
    return stopping;
  };

  try {
    for (const service of served) gateway.register(service);
    await gateway.listen();
    const providers = [
      ...iam.providers,
      ...(composition.extraProviders ?? []),
      ...served.flatMap((service) => service.providers),
    ];
    const deployment = await deploy({
      assembly,
      account,
      region,
      providers: providers.map((provider) => withTrustCheck(provider, iam)),
      ...(options.parameters === undefined ? {} : { parameters: options.parameters }),
      storedParameter: (name) => composition.storedParameter?.(name),
      onCreated: ({ stack, logicalId, type, ref }) =>
        emit({ type: 'cloudformation.created', at: clock.now(), detail: { stack, logicalId, type, ref } }),
    });
    composition.deployed?.(deployment.resources);
    for (const service of served) await service.start?.();
    return {
      ...deployment,
      endpoint: gateway.endpoint(),
      account,
      region,
      clock,
      services: composition.services,
      find: (what) => findResources(deployment.resources, what),
      get: (what) => only(findResources(deployment.resources, what), what),
      clientConfig: (roleArn) => ({
        endpoint: gateway.endpoint(),
        region,
        credentials: roleArn === undefined ? OPERATOR_CREDENTIALS : credentialsFor(roleArn),
      }),
      unusedGrants: () => iam.unusedGrants(),
      deniedCalls: () => iam.deniedCalls(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const SILENT: MetricSink = { put: () => {}, addSource: () => {} };

function environmentOf({ stacks }: Assembly, part: 'account' | 'region'): string | undefined {
  return stacks.map(({ environment }) => environment?.[part]).find((value) => value !== undefined);
}

/** A listener never changes the outcome, not even by throwing. */
function quietly(listener: EngineOptions['onEvent']): (event: EngineEvent) => void {
  return (event) => {
    try {
      listener?.(event);
    } catch (error) {
      process.emitWarning(`a listener of the local engine threw: ${String(error)}`);
    }
  };
}

function only(found: readonly DeployedResource[], what: string): DeployedResource {
  const [first, ...others] = found;
  if (first === undefined) throw new Error(`no deployed resource is '${what}'`);
  if (others.length > 0) {
    const names = found.map(({ stack, logicalId }) => `${stack}/${logicalId}`).join(', ');
    throw new Error(`'${what}' is more than one resource: ${names}`);
  }
  return first;
}
