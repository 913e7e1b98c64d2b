import type { FailureGroup } from './records';

const EXAMPLES = 5;

/** One line for each cause, the most frequent first: shards of one signature are summed. */
export function mergedGroups(shards: readonly FailureGroup[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const shard of shards) {
    const known = groups.get(shard.signature);
    groups.set(shard.signature, known === undefined ? shard : merged(known, shard));
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || (a.signature < b.signature ? -1 : 1));
}

function merged(left: FailureGroup, right: FailureGroup): FailureGroup {
  return {
    ...left,
    count: left.count + right.count,
    firstSeenAt: earlier(left.firstSeenAt, right.firstSeenAt),
    lastSeenAt:
      earlier(left.lastSeenAt, right.lastSeenAt) === left.lastSeenAt ? right.lastSeenAt : left.lastSeenAt,
    consumerVersions: [...new Set([...left.consumerVersions, ...right.consumerVersions])].sort(),
    examples: [...new Set([...left.examples, ...right.examples])].slice(0, EXAMPLES),
  };
}

/** Of two ISO 8601 times in UTC. */
function earlier(left: string, right: string): string {
  return left.localeCompare(right, 'en') <= 0 ? left : right;
}
