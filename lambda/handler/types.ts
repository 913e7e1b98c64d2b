import type { Classification, ErrorRule } from '../../lib/core/classification';
import type { RetryPolicy } from '../../lib/core/retry-policy';
import type { StandardSchemaV1 } from './standard-schema';

/** One record as Lambda gives it; only what the library reads. */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, SqsRecordAttribute>>;
  readonly eventSourceARN: string;
}

export interface SqsRecordAttribute {
  readonly stringValue?: string;
  /** Base64. */
  readonly binaryValue?: string;
  readonly dataType: string;
}

/** What the library uses of the Lambda context. */
export interface InvocationContext {
  getRemainingTimeInMillis(): number;
  readonly functionName?: string;
  readonly functionVersion?: string;
  readonly awsRequestId?: string;
}

export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** What is known of a message beside its body. */
export interface MessageContext {
  /** Now; a redrive gives a message a new one. */
  readonly messageId: string;
  /** Of the message as the producer sent it, over all redrives. */
  readonly originalMessageId: string;
  /** The business operation; the same on every attempt and redrive. */
  readonly operationId: string;
  /** For whoever is called: the same on every attempt and redrive. */
  readonly idempotencyKey: string;
  /** In this life of the message, from 1. Receives stand for it: one that never reached the handler counts too. */
  readonly attempt: number;
  /** Over all lives. */
  readonly totalAttempts: number;
  readonly queueName: string;
  /** When the producer sent it; for a redriven message its first send. */
  readonly sentAt: Date;
  readonly messageType: string | undefined;
  /** Message attributes: text, numbers as text, and bytes. */
  readonly attributes: Readonly<Record<string, string | Uint8Array>>;
  /** Of the message group, when it has one. */
  readonly groupId: string | undefined;
  /** Present when an operator's run sent the message. */
  readonly runId: string | undefined;
  /** Milliseconds that `process` may still take; less than the invocation has. */
  remainingMs(): number;
  /** Aborts when the time is up: give it to `fetch` and the like. */
  readonly signal: AbortSignal;
  /**
   * Commits your DynamoDB writes together with the completion of the operation, or neither. `writes` are TransactItems
   * of the SDK's TransactWriteItemsCommand, at most 99.
   */
  transact(writes: readonly unknown[]): Promise<void>;
}

/** How an outside call that may have had its effect is looked up. `unknown` tries again later. */
export type Reconciliation = 'done' | 'not-done' | 'unknown';

export interface IdempotencyOptions<T> {
  /**
   * How long nobody else may begin, in seconds. Default: until the end of the invocation. Longer where the work
   * can outlive the function, for example a payment that is under way.
   */
  readonly holdSeconds?: number;
  /** How long an operation is remembered, in seconds. Default and least: retention of source and dead-letter queue. */
  readonly rememberSeconds?: number;
  /** What must be the same when an operation comes again. Default: the whole body. */
  readonly fingerprint?: (message: T) => unknown;
  /** Asked before `process` when an earlier attempt ended in doubt. */
  readonly reconcile?: (message: T, context: MessageContext) => Reconciliation | Promise<Reconciliation>;
}

/** What is kept with a failure for the person who looks into it. */
export interface FailureDetails {
  readonly tenant?: string;
  readonly correlationId?: string;
  readonly schemaVersion?: string;
}

export interface ConsumerOptions<T> {
  /** Does the work. Returning is success; the value is not looked at. */
  readonly process: (message: T, context: MessageContext) => unknown;
  /** Validates the parsed body: any Standard Schema, such as zod, valibot or arktype. A body that breaks it is permanent. */
  readonly schema?: StandardSchemaV1<unknown, T>;
  /** True: the body is handed over as text and not parsed. Default false. */
  readonly raw?: boolean;
  /** Takes the message out of an SNS envelope. Default false: the body is what the producer sent. */
  readonly unwrapSns?: boolean;
  /**
   * A business key, the same whenever the same thing is asked for. An empty one is a permanent failure.
   * Default: the original message id, which tells repeats of one message but not two messages for one thing.
   */
  readonly operationId?: (
    message: T,
    context: Pick<MessageContext, 'messageId' | 'attributes'>,
  ) => string | number | undefined;
  /** Names the kind of a message, for its retry policy and for operators. */
  readonly messageType?: (
    message: T,
    context: Pick<MessageContext, 'messageId' | 'attributes'>,
  ) => string | undefined;
  readonly details?: (
    message: T,
    context: Pick<MessageContext, 'messageId' | 'attributes'>,
  ) => FailureDetails;
  /** How errors of other libraries are judged. What no rule knows stays unknown: bounded tries, and loud. */
  readonly errors?: readonly ErrorRule[];
  /** The last word on an error; undefined leaves it to the rules. */
  readonly classify?: (error: unknown) => Classification | undefined;
  /** Default: exponential from 5 s to 900 s with full jitter, as many attempts as the queue allows receives, at most 5. */
  readonly retry?: Partial<RetryPolicy>;
  readonly retryByType?: Readonly<Record<string, Partial<RetryPolicy>>>;
  /** Messages of a batch that are processed side by side, on standard queues. Default 10. */
  readonly concurrency?: number;
  /** strict: nothing of the batch after a failure. message-group: nothing of that message group. Default strict. */
  readonly fifo?: 'strict' | 'message-group';
  /** False: no protection against doing things twice. */
  readonly idempotency?: IdempotencyOptions<T> | false;
  /** consumer: permanent failures go to the dead-letter queue at once. native: SQS moves them when the receives are used up. Default consumer. */
  readonly isolation?: 'consumer' | 'native';
  /** Patterns of your own personal data, for reasons that are kept. */
  readonly redact?: readonly RegExp[];
  /** Kept free at the end of the invocation, in milliseconds. Default 2,000, and at most a fifth of the time. */
  readonly reserveMs?: number;
}
