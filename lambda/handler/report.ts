import { bodyShape } from '../../lib/core/body-shape';
import type { Classification } from '../../lib/core/classification';
import type { FailureGroupUpdate } from '../../lib/core/failure-recorder';
import type { FailureRecord, IsolationReason, OutcomeRecord } from '../../lib/core/records';
import { redact } from '../../lib/core/redaction';
import { failureSignature } from '../../lib/core/signature';
import type { Known } from './attempt';
import type { Incoming } from './incoming';
import type { ConsumerServices } from './services';

/** A failed attempt with everything that is kept of it. */
export interface ReportedFailure {
  readonly incoming: Incoming;
  readonly classification: Classification;
  readonly signature: string;
  /** Redacted. */
  readonly reason: string;
  readonly known: Known;
  /** Present when the message goes to the dead-letter queue. */
  readonly isolation?: IsolationReason;
  readonly copyId?: string;
}

const GROUP_EXAMPLES = 5;
/** A first failed attempt of a passing failure is not worth a write: most messages succeed the next time. */
const WRITTEN_FROM_ATTEMPT = 2;

export function reportOf(
  incoming: Incoming,
  {
    classification,
    known,
    stack,
  }: { readonly classification: Classification; readonly known: Known; readonly stack?: string },
  redactions: readonly RegExp[] | undefined,
): ReportedFailure {
  const reason = redact(classification.reason, redactions);
  const { failureClass, code } = classification;
  const signature = failureSignature({
    failureClass,
    code,
    reason,
    ...(stack === undefined || failureClass !== 'unknown' ? {} : { stack }),
  });
  return { incoming, classification, signature, reason, known };
}

/** Writes failures, groups and outcomes; a store that is down is loud and stops nothing. */
export async function writeReports(
  failures: readonly ReportedFailure[],
  succeeded: readonly Incoming[],
  services: ConsumerServices,
): Promise<number> {
  const { failures: store } = services;
  if (store === undefined) return 0;
  const nowMs = services.now();
  const worthWriting = failures.filter(
    ({ incoming, isolation, classification }) =>
      isolation !== undefined ||
      incoming.attempt >= WRITTEN_FROM_ATTEMPT ||
      classification.failureClass === 'unknown',
  );
  const outcomes = [
    ...succeeded.flatMap((incoming) => outcomeOf(incoming, nowMs)),
    ...failures.flatMap((failure) => returnOf(failure, nowMs)),
  ];
  const writes = [
    ...worthWriting.map((failure) => store.recordFailure(recordOf(failure, services))),
    ...groupsOf(failures, services).map((group) => store.recordGroup(group)),
    ...succeeded
      .filter(({ attempt, redriven }) => attempt > 1 || redriven)
      .map(({ queueName, originalMessageId }) => store.recordSuccess(queueName, originalMessageId, nowMs)),
    ...(outcomes.length === 0 ? [] : [store.recordOutcomes(outcomes, nowMs)]),
  ];
  const results = await Promise.allSettled(writes);
  const failed = results.filter(({ status }) => status === 'rejected');
  if (failed.length > 0)
    services.log(
      JSON.stringify({
        level: 'ERROR',
        code: 'FAILURE_STORE_UNAVAILABLE',
        writes: failed.length,
        reason: redact(String((failed[0] as PromiseRejectedResult).reason)),
      }),
    );
  return failed.length;
}

/** Before the last attempt: a crash, a time-out or a lack of memory in it would leave no word otherwise. */
export async function announceLastAttempt(
  incoming: Incoming,
  known: Known,
  services: ConsumerServices,
): Promise<void> {
  const classification = {
    failureClass: 'unknown',
    code: 'LAST_ATTEMPT_UNFINISHED',
    reason: 'the last attempt came to no end: a crash, a time-out or a lack of memory',
  } as const;
  await services.failures
    ?.recordFailure(recordOf(reportOf(incoming, { classification, known }, undefined), services))
    .catch(() => {});
}

function recordOf(
  { incoming, classification, signature, reason, known, isolation, copyId }: ReportedFailure,
  services: ConsumerServices,
): FailureRecord {
  const { consumerName, consumerVersion } = services;
  const { record, sent, queueName, originalMessageId, attempt, sentAtMs } = incoming;
  const at = new Date(services.now()).toISOString();
  const { tenant, correlationId, schemaVersion } = known.details ?? {};
  const traceId = /Root=([^;]+)/.exec(record.attributes?.['AWSTraceHeader'] ?? '')?.[1];
  return {
    queueName,
    originalMessageId,
    messageIds: [
      ...new Set([originalMessageId, record.messageId, ...(copyId === undefined ? [] : [copyId])]),
    ],
    status: isolation === undefined ? 'retrying' : 'dead-lettered',
    ...(isolation === undefined ? {} : { reasonForIsolation: isolation }),
    failureClass: classification.failureClass,
    code: classification.code,
    signature,
    reason,
    attempts: (sent?.attemptsBefore ?? 0) + attempt,
    firstFailedAt: at,
    lastFailedAt: at,
    sentAt: new Date(sentAtMs).toISOString(),
    consumerName,
    consumerVersion,
    redrives: sent?.redrives ?? 0,
    ...(sent === undefined ? {} : { lastRunId: sent.runId }),
    ...(known.messageType === undefined ? {} : { messageType: known.messageType }),
    ...(known.operationId === undefined ? {} : { operationId: known.operationId }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(schemaVersion === undefined ? {} : { schemaVersion }),
    ...(traceId === undefined ? {} : { traceId }),
  };
}

/** One update for each signature of the batch, of what goes to the dead-letter queue. */
function groupsOf(failures: readonly ReportedFailure[], services: ConsumerServices): FailureGroupUpdate[] {
  const groups = new Map<string, ReportedFailure[]>();
  for (const failure of failures) {
    if (failure.isolation === undefined) continue;
    const key = `${failure.incoming.queueName}|${failure.signature}`;
    groups.set(key, [...(groups.get(key) ?? []), failure]);
  }
  return [...groups.values()].map((members) => {
    const { incoming, signature, classification, reason } = members[0] as ReportedFailure;
    return {
      queueName: incoming.queueName,
      signature,
      failureClass: classification.failureClass,
      code: classification.code,
      reason,
      count: members.length,
      at: new Date(services.now()).toISOString(),
      consumerVersion: services.consumerVersion,
      examples: members.slice(0, GROUP_EXAMPLES).map(({ incoming: one }) => one.originalMessageId),
      shape: bodyShape(incoming.record.body),
    };
  });
}

function outcomeOf({ sent, record, originalMessageId }: Incoming, nowMs: number): OutcomeRecord[] {
  if (sent === undefined) return [];
  return [
    {
      newMessageId: record.messageId,
      runId: sent.runId,
      originalMessageId,
      outcome: 'succeeded',
      at: new Date(nowMs).toISOString(),
    },
  ];
}

function returnOf(
  { incoming, isolation, classification, signature }: ReportedFailure,
  nowMs: number,
): OutcomeRecord[] {
  if (isolation === undefined) return [];
  return outcomeOf(incoming, nowMs).map((outcome) => ({
    ...outcome,
    outcome: 'returned' as const,
    code: classification.code,
    signature,
  }));
}
