import type { Balance } from '../../lib/core/balance';
import type { RunRecord } from '../../lib/core/run-record';
import { sentenceOf } from '../../lib/operations/settle-run';

/** One line: what was sent and what came of it are two things. */
export function runLine({ state, counts, outcomes, rate, why }: RunRecord): string {
  const taken = counts.discarded > 0 ? `${counts.discarded} discarded` : `${counts.sent} sent`;
  return `${state} · ${taken} · ${outcomes.succeeded} succeeded · ${outcomes.returned} returned · ${rate}/s${why === undefined ? '' : ` · ${why}`}`;
}

/** The report of a run, in words. */
export function runReport(run: RunRecord): string {
  const { plan, runId, createdAt, endedAt, report, counts } = run;
  const balance = report === undefined ? undefined : (JSON.parse(report) as Balance);
  return [
    `run        ${runId}`,
    `queue      ${plan.queue}`,
    `what       ${plan.action}, ${JSON.stringify(plan.select)}`,
    `who, why   ${plan.operator}: ${plan.reason}`,
    `when       ${createdAt}${endedAt === undefined ? '' : ` to ${endedAt}`}`,
    `state      ${runLine(run)}`,
    `left alone ${counts.notSelected} not selected, ${counts.parked} parked`,
    ...(balance === undefined ? [] : [`balance    ${sentenceOf(balance)}`]),
    ...(balance !== undefined && balance.openIds.length > 0
      ? [`open       ${balance.openIds.join(', ')}`]
      : []),
  ].join('\n');
}
