/**
 * What one service needs of another, in process. Each port is implemented by the service named in its comment
 * and handed over by the engine's composition; no service folder imports another's.
 */

export interface QueueMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly md5OfBody: string;
  /** All system attributes, as strings: ApproximateReceiveCount, SentTimestamp, MessageGroupId … */
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, QueueMessageAttribute>>;
  readonly md5OfMessageAttributes?: string;
}

export interface QueueMessageAttribute {
  readonly dataType: string;
  readonly stringValue?: string;
  readonly binaryValue?: Buffer;
}

/** Implemented by SQS, for event source mappings. Access rights are the caller's matter. */
export interface QueueSource {
  /**
   * Receives up to `maximum` messages with the queue's own visibility timeout. Waits up to `waitMs` for the
   * first one and answers an empty array then, or as soon as `signal` aborts.
   */
  receive(
    queueArn: string,
    options: { readonly maximum: number; readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<QueueMessage[]>;
  delete(queueArn: string, receiptHandles: readonly string[]): void;
  describe(queueArn: string): { readonly fifo: boolean; readonly visibilitySeconds: number } | undefined;
}

/** Implemented by SQS, for SNS, EventBridge and Scheduler targets. */
export interface QueueSender {
  send(queueArn: string, message: OutgoingMessage): void;
}

export interface OutgoingMessage {
  readonly body: string;
  readonly messageAttributes?: Readonly<Record<string, QueueMessageAttribute>>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

export interface InvocationResult {
  /** What the handler returned, or the error object when `functionError` is set; JSON text. */
  readonly payload: string;
  readonly functionError?: 'Unhandled' | 'Handled';
  readonly requestId: string;
  /** The last 4 KB of the log of this invocation. */
  readonly logTail: string;
}

/** Thrown when no environment may run the request: reserved concurrency is used up. */
export class ThrottledError extends Error {
  override readonly name = 'TooManyRequestsException';
}

/** Implemented by Lambda, for Step Functions, SNS, EventBridge and Scheduler. */
export interface FunctionInvoker {
  /** `functionArn` may carry a version or alias. Rejects with ThrottledError, or when there is no such function. */
  invoke(functionArn: string, payload: string): Promise<InvocationResult>;
}

/** Implemented by SNS, for CloudWatch alarms and others. */
export interface TopicPublisher {
  publish(topicArn: string, message: { readonly subject?: string; readonly body: string }): void;
}

/** Implemented by Step Functions, for EventBridge and Scheduler targets. */
export interface ExecutionStarter {
  startExecution(stateMachineArn: string, input: string): void;
}
