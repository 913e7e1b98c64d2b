import type { StopRule } from './redrive-plan';

export interface Progress {
  readonly succeeded: number;
  readonly returned: number;
  /** Of returned messages, without those that the selected had before. */
  readonly newSignatures: readonly string[];
  readonly runSeconds: number;
}

/** Why the run must stop, in words for the operator; undefined while it may go on. */
export function trippedRule(rule: StopRule, progress: Progress): string | undefined {
  const { succeeded, returned } = progress;
  const settled = succeeded + returned;
  if (rule.failures !== undefined && returned >= rule.failures)
    return `${returned} messages came back; the limit is ${rule.failures}`;
  if (settled >= rule.minimumSample && returned / settled > rule.failureShare)
    return `${returned} of ${settled} came back (${percent(returned / settled)}); the limit is ${percent(rule.failureShare)}`;
  if (rule.newSignature === true && progress.newSignatures.length > 0)
    return `a failure that none of the selected messages had: ${progress.newSignatures[0]}`;
  if (rule.maximumSeconds !== undefined && progress.runSeconds > rule.maximumSeconds)
    return `the run takes longer than ${rule.maximumSeconds} s`;
  return undefined;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
