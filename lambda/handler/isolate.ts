import type { SentRecord } from '../../lib/core/records';
import { traceHeaderWithoutLineage } from '../../lib/core/resend';
import { attributeValues, type Incoming } from './incoming';
import type { ConsumerServices } from './services';

/**
 * Puts a copy into the dead-letter queue: body byte for byte, all attributes with their types, the message group.
 * Answers the copy's id once SQS has confirmed it, and undefined when it has not; only then may the message be acknowledged.
 */
export async function isolate(incoming: Incoming, services: ConsumerServices): Promise<string | undefined> {
  const { record, queue, fifo, originalMessageId } = incoming;
  if (queue === undefined) return undefined;
  const groupId = record.attributes?.['MessageGroupId'];
  const traceHeader = traceHeaderWithoutLineage(record.attributes?.['AWSTraceHeader']);
  const ids = await services.sqs
    .send(queue.deadLetterUrl, [
      {
        body: record.body,
        attributes: attributeValues(record),
        delaySeconds: 0,
        ...(groupId === undefined ? {} : { groupId }),
        // The same after a crash between send and acknowledgement: the repeat is swallowed.
        ...(fifo ? { deduplicationId: `isolated.${record.messageId}` } : {}),
        ...(traceHeader === undefined ? {} : { traceHeader }),
      },
    ])
    .catch(() => []);
  const [copyId] = ids;
  if (copyId !== undefined && copyId !== originalMessageId)
    await services.failures
      ?.recordIsolated(pointerTo(incoming, copyId, services.now()), services.now())
      .catch(() => {
        services.log(
          JSON.stringify({ level: 'ERROR', code: 'FAILURE_STORE_UNAVAILABLE', messageId: record.messageId }),
        );
      });
  return copyId;
}

function pointerTo(
  { sent, queueName, originalMessageId, sentAtMs, attempt }: Incoming,
  copyId: string,
  nowMs: number,
): SentRecord {
  return {
    runId: sent?.runId ?? 'isolation',
    queueName,
    originalMessageId,
    newMessageId: copyId,
    originalSentAt: sentAtMs,
    attemptsBefore: (sent?.attemptsBefore ?? 0) + attempt,
    redrives: sent?.redrives ?? 0,
    sentAt: new Date(nowMs).toISOString(),
  };
}
