import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock/clock';
import type { ResourceProvider } from '../cloudformation/resource-provider';

/** Who calls: the gateway reads the access key id from the Authorization header and looks its role up. */
export interface Identity {
  readonly accessKeyId: string;
  /** Absent: the person at the keyboard or a test, who may do everything. */
  readonly roleArn?: string;
}

/** One request, as the gateway hands it to a service. The service reads the body and answers. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly identity: Identity;
  /**
   * The gateway holds the clock until the response is closed. A long poll that begins to wait calls this, so that
   * time can pass, and calls the result once when it stops waiting (a message came, or its time is up).
   * Absent where a test serves without a gateway: `exchange.waiting?.()`.
   */
  waiting?(): () => void;
}

export interface LocalService {
  /** The name in the credential scope of a signed request: sqs, dynamodb, states, lambda, monitoring, sns … */
  readonly signingName: string;
  handle(exchange: Exchange): void | Promise<void>;
  readonly providers: readonly ResourceProvider[];
  /** Begins background work (pollers, sweeps), after every resource exists. */
  start?(): void | Promise<void>;
  /** Ends background work and frees what is held. Calling it twice is harmless. */
  stop?(): void | Promise<void>;
}

export interface AccessRequest {
  readonly identity: Identity;
  /** For example `sqs:SendMessage`. */
  readonly action: string;
  /** ARN, or `*` where IAM has no resource level. */
  readonly resource: string;
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

/** Answers undefined when allowed, else the sentence for the AccessDenied error. */
export type Authorize = (request: AccessRequest) => string | undefined;

export interface MetricDatum {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
  readonly unit?: string;
}

/** Where services report; the CloudWatch engine stamps each datum with the clock's time. */
export interface MetricSink {
  put(datum: MetricDatum): void;
  /** Asked once per simulated or real minute, for gauges such as queue depth. */
  addSource(collect: () => Iterable<MetricDatum>): void;
}

/** What happens in the engine, for progress displays and tests; a listener never changes the outcome. */
export interface EngineEvent {
  /** Dotted, for example `sqs.dead-lettered`, `lambda.log`, `cloudwatch.alarm`, `sns.published`. */
  readonly type: string;
  readonly at: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What every service gets from the engine. */
export interface Environment {
  readonly clock: Clock;
  readonly account: string;
  readonly region: string;
  /** `http://127.0.0.1:PORT`; known once the gateway listens, so read it late. */
  endpoint(): string;
  /** Absent: everything is in memory. */
  readonly dataFolder?: string;
  readonly metrics: MetricSink;
  readonly authorize: Authorize;
  emit(event: EngineEvent): void;
}
