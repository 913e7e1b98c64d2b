import { canonicalJson } from '../../lib/core/canonical-json';
import { type Classification, classify } from '../../lib/core/classification';
import { type Claim, checkedOperationId, operationKey } from '../../lib/core/idempotency';
import { type Incoming, plainAttributes } from './incoming';
import type { ConsumerServices } from './services';
import { issuePlace } from './standard-schema';
import { JudgedFailure, permanent, transient } from './throwables';
import type { ConsumerOptions, FailureDetails, MessageContext } from './types';

/** What is known of a message once it was read; a failure report has as much of it as there is. */
export interface Known {
  readonly operationId?: string;
  readonly messageType?: string;
  readonly details?: FailureDetails;
}

export type AttemptResult =
  | { readonly kind: 'done'; readonly duplicate: boolean; readonly known: Known }
  | {
      readonly kind: 'failed';
      readonly classification: Classification;
      readonly known: Known;
      readonly stack?: string;
    }
  /** Neither done nor failed: left for later, without an attempt. */
  | { readonly kind: 'later'; readonly code: string; readonly seconds?: number };

export interface AttemptSurroundings<T> {
  readonly options: ConsumerOptions<T>;
  readonly services: ConsumerServices;
  readonly signal: AbortSignal;
  /** Epoch milliseconds at which `process` has to be done. */
  readonly processUntilMs: number;
  /** Epoch milliseconds at which the invocation ends. */
  readonly invocationEndMs: number;
  /** Told of the type before `process` runs: the last attempt is announced. */
  beforeProcess(incoming: Incoming, known: Known): Promise<void>;
}

const HELD_MARGIN_MS = 1_000;
/** How long a redriven message that the ledger does not know yet is put back. */
const LINEAGE_SECONDS = 5;
const DAY_SECONDS = 24 * 3600;

/** One attempt at one message, from its body to an answer; never throws. */
export async function attempt<T>(incoming: Incoming, around: AttemptSurroundings<T>): Promise<AttemptResult> {
  let known: Known = {};
  try {
    const message = await read(incoming, around.options);
    const context = { messageId: incoming.record.messageId, attributes: plainAttributes(incoming.record) };
    known = knownOf(message, context, around.options);
    if (incoming.redriven && incoming.sent === undefined && around.options.operationId === undefined)
      return { kind: 'later', code: 'LINEAGE_UNKNOWN', seconds: LINEAGE_SECONDS };
    return await guarded(message, incoming, known, around);
  } catch (error) {
    return failed(error, known, around.options);
  }
}

/** Parsing and validating are inside the boundary of the record: one bad body harms no other. */
async function read<T>({ record }: Incoming, { raw, schema, unwrapSns }: ConsumerOptions<T>): Promise<T> {
  let body = String(record.body ?? '');
  if (unwrapSns === true) body = unwrapped(body);
  let value: unknown = body;
  if (raw !== true) {
    try {
      value = JSON.parse(body.charCodeAt(0) === 0xfeff ? body.slice(1) : body);
    } catch {
      // The parser's own words quote the body.
      throw permanent('BODY_NOT_JSON', { reason: 'the body is not JSON' });
    }
  }
  if (schema === undefined) return value as T;
  const result = await schema['~standard'].validate(value);
  if (result.issues !== undefined) throw permanent('SCHEMA_INVALID', { reason: issuePlace(result.issues) });
  return result.value;
}

/** Only what certainly is an envelope. https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
function unwrapped(body: string): string {
  try {
    const { Type, TopicArn, Message } = JSON.parse(body) as Record<string, unknown>;
    if (Type === 'Notification' && typeof TopicArn === 'string' && typeof Message === 'string')
      return Message;
  } catch {
    // no envelope then
  }
  return body;
}

function knownOf<T>(
  message: T,
  context: Pick<MessageContext, 'messageId' | 'attributes'>,
  { operationId, messageType, details }: ConsumerOptions<T>,
): Known {
  const type = messageType?.(message, context);
  const more = details?.(message, context);
  const named = operationId === undefined ? undefined : checkedOperationId(operationId(message, context));
  if (operationId !== undefined && named === undefined)
    throw permanent('OPERATION_ID_MISSING', { reason: 'the message has no usable operation id' });
  return {
    ...(named === undefined ? {} : { operationId: named }),
    ...(type === undefined ? {} : { messageType: type }),
    ...(more === undefined ? {} : { details: more }),
  };
}

/** The claim around `process`. */
async function guarded<T>(
  message: T,
  incoming: Incoming,
  known: Known,
  around: AttemptSurroundings<T>,
): Promise<AttemptResult> {
  const { options, services } = around;
  const { idempotency: settings } = options;
  const operationId = known.operationId ?? incoming.originalMessageId;
  const key = operationKey(services.consumerName, operationId, services.digest);
  const store = settings === false ? undefined : services.idempotency;
  const own = settings === false || settings === undefined ? {} : settings;
  if (store === undefined) {
    const context = contextOf(incoming, known, operationId, key, around, async () => {
      throw new Error('IDEMPOTENCY_OFF: transact needs an idempotency table');
    });
    await around.beforeProcess(incoming, known);
    await options.process(message, context);
    return { kind: 'done', duplicate: false, known };
  }
  const nowMs = services.now();
  const claim: Claim = {
    key,
    fingerprint: services.digest(fingerprintOf(message, own.fingerprint)),
    nowMs,
    holdUntilMs: own.holdSeconds === undefined ? around.invocationEndMs : nowMs + own.holdSeconds * 1000,
    expiresAt:
      Math.ceil(nowMs / 1000) +
      Math.max(own.rememberSeconds ?? 0, incoming.queue?.retentionSeconds ?? 18 * DAY_SECONDS),
  };
  const answer = await store.claim(claim).catch((error) => {
    throw transient('IDEMPOTENCY_STORE_UNAVAILABLE', {
      reason: 'the idempotency table does not answer',
      cause: error,
    });
  });
  if (answer.kind === 'completed') return { kind: 'done', duplicate: true, known };
  if (answer.kind === 'held')
    return {
      kind: 'later',
      code: 'OPERATION_IN_PROGRESS',
      seconds: Math.ceil(Math.max(HELD_MARGIN_MS, answer.untilMs - nowMs + HELD_MARGIN_MS) / 1000),
    };
  if (answer.kind === 'other-payload')
    throw permanent('PAYLOAD_MISMATCH', { reason: 'the same operation id came with another payload' });
  let completed = false;
  const context = contextOf(incoming, known, operationId, key, around, async (writes) => {
    await store.completeWith(claim, writes);
    completed = true;
  });
  try {
    const effect = answer.leftover ? await own.reconcile?.(message, context) : undefined;
    if (effect === 'unknown')
      throw new JudgedFailure(
        {
          failureClass: 'transient',
          code: 'OUTCOME_UNCERTAIN',
          reason: 'nobody knows yet whether it was done',
        },
        { uncertain: true },
      );
    if (effect !== 'done') {
      await around.beforeProcess(incoming, known);
      await options.process(message, context);
    }
  } catch (error) {
    // Committed before something else went wrong: the operation is done, and saying otherwise would repeat it.
    if (completed) return failed(error, known, options);
    await giveUp(store, claim, error);
    throw error;
  }
  if (!completed)
    await store.complete(claim).catch(() => services.log(warning('COMPLETION_NOT_WRITTEN', incoming)));
  return { kind: 'done', duplicate: false, known };
}

async function giveUp(
  store: NonNullable<ConsumerServices['idempotency']>,
  claim: Claim,
  error: unknown,
): Promise<void> {
  const uncertain = error instanceof JudgedFailure && error.uncertain;
  // What can't be given back runs out by itself.
  await (uncertain ? store.leaveUncertain(claim) : store.release(claim)).catch(() => {});
}

function fingerprintOf<T>(message: T, choose: ((message: T) => unknown) | undefined): string {
  const value = choose === undefined ? message : choose(message);
  if (typeof value === 'string') return value;
  try {
    return canonicalJson(value);
  } catch (error) {
    throw permanent('PAYLOAD_NOT_CANONICAL', { reason: (error as Error).message });
  }
}

function contextOf<T>(
  incoming: Incoming,
  { messageType }: Known,
  operationId: string,
  idempotencyKey: string,
  { services, signal, processUntilMs }: AttemptSurroundings<T>,
  transact: MessageContext['transact'],
): MessageContext {
  const { record, sent } = incoming;
  return {
    messageId: record.messageId,
    originalMessageId: incoming.originalMessageId,
    operationId,
    idempotencyKey,
    attempt: incoming.attempt,
    totalAttempts: (sent?.attemptsBefore ?? 0) + incoming.attempt,
    queueName: incoming.queueName,
    sentAt: new Date(incoming.sentAtMs),
    messageType,
    attributes: plainAttributes(record),
    groupId: record.attributes?.['MessageGroupId'],
    runId: sent?.runId,
    remainingMs: () => Math.max(0, processUntilMs - services.now()),
    signal,
    transact,
  };
}

function failed<T>(
  error: unknown,
  known: Known,
  { classify: own, errors }: ConsumerOptions<T>,
): AttemptResult {
  const classification =
    error instanceof JudgedFailure ? error.classification : (own?.(error) ?? classify(error, errors));
  const stack = error instanceof Error ? error.stack : undefined;
  return { kind: 'failed', classification, known, ...(stack === undefined ? {} : { stack }) };
}

function warning(code: string, { record, queueName }: Incoming): string {
  return JSON.stringify({ level: 'WARN', code, queue: queueName, messageId: record.messageId });
}
