/** Which messages of a batch are done, and which stay hidden until they are tried again. */
export type BatchVerdict =
  | { readonly kind: 'all-done' }
  | { readonly kind: 'all-failed'; readonly why: string }
  | { readonly kind: 'some-failed'; readonly failed: ReadonlySet<string> };

const ALL_DONE: BatchVerdict = { kind: 'all-done' };

/**
 * Reads what a function answered to a batch, with ReportBatchItemFailures on.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function judgeBatch(payload: string, messageIds: readonly string[]): BatchVerdict {
  if (payload === '') return ALL_DONE;
  let answer: unknown;
  try {
    answer = JSON.parse(payload);
  } catch {
    return { kind: 'all-failed', why: 'the answer is not JSON' };
  }
  if (answer === null || answer === undefined || answer === '') return ALL_DONE;
  if (typeof answer !== 'object' || Array.isArray(answer))
    return { kind: 'all-failed', why: 'the answer is not an object' };
  const list = (answer as Record<string, unknown>)['batchItemFailures'];
  if (list === undefined || list === null) return ALL_DONE;
  if (!Array.isArray(list)) return { kind: 'all-failed', why: 'batchItemFailures is not a list' };
  const failed = new Set<string>();
  for (const item of list) {
    const id = (item as Record<string, unknown> | null)?.['itemIdentifier'];
    if (typeof id !== 'string' || id === '' || !messageIds.includes(id))
      return {
        kind: 'all-failed',
        why: `itemIdentifier ${JSON.stringify(id) ?? 'is missing'} is none of the batch`,
      };
    failed.add(id);
  }
  return failed.size === 0 ? ALL_DONE : { kind: 'some-failed', failed };
}
