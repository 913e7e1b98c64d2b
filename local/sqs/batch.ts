import type { Answer, Parameters } from './queue-actions';
import { SqsError } from './sqs-error';

const MAXIMUM_ENTRIES = 10;

/** Checks what holds for every batch call before any entry is looked at. */
export function batchEntries(given: unknown): readonly Parameters[] {
  const entries = Array.isArray(given) ? (given as Parameters[]) : [];
  if (entries.length === 0)
    throw new SqsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > MAXIMUM_ENTRIES)
    throw new SqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MAXIMUM_ENTRIES}. You have sent ${entries.length}.`,
    );
  const seen = new Set<unknown>();
  for (const { Id: id } of entries) {
    if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,80}$/.test(id))
      throw new SqsError(
        'InvalidBatchEntryId',
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
      );
    if (seen.has(id)) throw new SqsError('BatchEntryIdsNotDistinct', `Id ${id} repeated.`);
    seen.add(id);
  }
  return entries;
}

/** Performs each entry by itself: one that fails does not touch the others. */
export function eachEntry(entries: readonly Parameters[], perform: (entry: Parameters) => Answer): Answer {
  const successful: Answer[] = [];
  const failed: Answer[] = [];
  for (const entry of entries) {
    try {
      successful.push({ Id: entry['Id'], ...perform(entry) });
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      failed.push({ Id: entry['Id'], SenderFault: true, Code: error.queryCode, Message: error.message });
    }
  }
  return {
    Successful: successful,
    ...(failed.length === 0 ? {} : { Failed: failed }),
  };
}
