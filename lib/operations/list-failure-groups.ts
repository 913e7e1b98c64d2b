import { mergedGroups } from '../core/failure-groups';
import type { FailureGroup } from '../core/records';
import type { FailureIndex } from './failure-ports';

/** A failure group with what of it is in the dead-letter queue now. */
export type OpenFailureGroup = FailureGroup & { readonly open: number };

/** Failures by cause: all that were ever counted, and how many wait in the dead-letter queue. */
export async function listFailureGroups(queueName: string, index: FailureIndex): Promise<OpenFailureGroup[]> {
  const open = new Map<string, number>();
  for await (const { signature } of index.deadLettered(queueName))
    open.set(signature, (open.get(signature) ?? 0) + 1);
  return mergedGroups(await index.groupShards(queueName)).map((group) => ({
    ...group,
    open: open.get(group.signature) ?? 0,
  }));
}
