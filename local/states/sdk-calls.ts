import { OPTIMIZED_SERVICES, SDK_SERVICES, type SdkService } from './sdk-services';
import { fromSdk, toSdk } from './sdk-values';
import { StateFailure } from './states-error';

export interface SdkConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string };
}

export interface SdkCall {
  readonly service: string;
  readonly action: string;
  /** The optimized integration that was asked for; absent for `aws-sdk`. */
  readonly optimized?: string;
}

type Client = { send(command: unknown): Promise<Record<string, unknown>>; destroy(): void };
type Module = Readonly<Record<string, unknown>>;
type Constructor<T> = new (input: unknown) => T;

/** Whether the service's API has the action. */
export async function hasAction({ service, action }: SdkCall): Promise<boolean> {
  const module = (await SDK_SERVICES[service]?.load()) as Module | undefined;
  return /^[a-z]\w*$/.test(action) && typeof module?.[commandOf(action)] === 'function';
}

/** Calls actions of the emulated services through their SDK clients, over HTTP. */
export class SdkCalls {
  /** One for each service and role: making a client costs more than a call. */
  private readonly clients = new Map<string, Client>();

  async call(call: SdkCall, input: unknown, config: SdkConfig): Promise<Record<string, unknown>> {
    const service = SDK_SERVICES[call.service] as SdkService;
    const module = (await service.load()) as Module;
    const Command = module[commandOf(call.action)] as Constructor<unknown>;
    const client = this.client(call.service, service, module, config);
    const lowerCase = service.lowerCase === true;
    try {
      const { $metadata: metadata, ...result } = await client.send(
        new Command(toSdk(input ?? {}, lowerCase)),
      );
      const plain = (await fromSdk(result, lowerCase)) as Record<string, unknown>;
      if (call.optimized === undefined) return plain;
      const { httpStatusCode, requestId } = metadata as { httpStatusCode?: number; requestId?: string };
      return {
        ...plain,
        SdkHttpMetadata: { HttpStatusCode: httpStatusCode },
        SdkResponseMetadata: { RequestId: requestId },
      };
    } catch (error) {
      throw failureOf(error as Error, call, service, module);
    }
  }

  close(): void {
    for (const client of this.clients.values()) client.destroy();
    this.clients.clear();
  }

  private client(name: string, service: SdkService, module: Module, config: SdkConfig): Client {
    const key = `${name} ${config.credentials.accessKeyId} ${config.endpoint}`;
    let client = this.clients.get(key);
    if (client === undefined) {
      const Client = module[service.client] as Constructor<Client>;
      client = new Client({ ...config, ...service.options, maxAttempts: 1 });
      this.clients.set(key, client);
    }
    return client;
  }
}

/** https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html */
function failureOf(error: Error, call: SdkCall, { title }: SdkService, module: Module): StateFailure {
  const { name = '', message = '', $metadata: answered } = error as Error & { $metadata?: unknown };
  const optimized = call.optimized === undefined ? undefined : OPTIMIZED_SERVICES[call.optimized];
  const prefix = optimized?.title ?? title;
  if (answered === undefined) return new StateFailure(`${prefix}.SdkClientException`, message);
  const modelled = typeof module[name] === 'function';
  const other = optimized?.other ?? `${title}Exception`;
  const own = name.endsWith('Exception') ? name : `${name}Exception`;
  return new StateFailure(`${prefix}.${modelled ? own : other}`, message);
}

function commandOf(action: string): string {
  return `${action.charAt(0).toUpperCase()}${action.slice(1)}Command`;
}
