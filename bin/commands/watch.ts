import type { RunRecord } from '../../lib/core/run-record';
import { isFinal } from '../../lib/core/run-states';
import { loadRun } from '../../lib/operations/begin-run';
import { type Operator, operatorOf } from '../operator';
import { runLine, runReport } from '../render/run';
import { type Command, EXIT, type ExitCode, type Invocation, required } from './command';

const LOOK_MS = 2_000;

export const watch: Command = {
  usage: 'redrive watch QUEUE RUN',
  summary: 'follow a run until it ends',
  async run(invocation) {
    const operator = await operatorOf(required(invocation, 0, 'QUEUE'), invocation.settings);
    return followRun(invocation, operator, required(invocation, 1, 'RUN'));
  },
};

/** Prints every change until the run is over or paused. */
export async function followRun(
  invocation: Invocation,
  { store }: Operator,
  runId: string,
): Promise<ExitCode> {
  let shown = '';
  for (;;) {
    const run = await loadRun(store, runId);
    const line = invocation.json
      ? JSON.stringify({ runId, state: run.state, counts: run.counts, outcomes: run.outcomes })
      : runLine(run);
    if (line !== shown) invocation.print(line);
    shown = line;
    if (isFinal(run.state)) {
      invocation.print(invocation.json ? JSON.stringify(run) : runReport(run));
      return exitOf(run);
    }
    if (run.state === 'paused') return EXIT.done;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function exitOf({ state, why = '', counts }: RunRecord): ExitCode {
  if (state === 'stopped') return EXIT.stopped;
  if (state === 'failed')
    return why.startsWith('lease:')
      ? EXIT.active
      : /^[\w-]+:/.test(why) && counts.sent === 0
        ? EXIT.refused
        : EXIT.error;
  return EXIT.done;
}
