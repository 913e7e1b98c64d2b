import { approveRun, loadRun } from '../../lib/operations/begin-run';
import { cancelRun, changeRate, pauseRun, resumeRun } from '../../lib/operations/control-run';
import { type Operator, operatorOf } from '../operator';
import { runLine, runReport } from '../render/run';
import { table } from '../render/table';
import { type Command, EXIT, type Invocation, required, UsageError } from './command';

/** A verb on one run. */
function verb(
  name: string,
  summary: string,
  more: string,
  act: (runId: string, operator: Operator, invocation: Invocation) => Promise<unknown>,
): Command {
  return {
    usage: `redrive ${name} QUEUE RUN${more}`,
    summary,
    async run(invocation) {
      const operator = await operatorOf(required(invocation, 0, 'QUEUE'), invocation.settings);
      const runId = required(invocation, 1, 'RUN');
      await act(runId, operator, invocation);
      const run = await loadRun(operator.store, runId);
      invocation.print(invocation.json ? JSON.stringify(run) : runLine(run));
      return EXIT.done;
    },
  };
}

export const pause = verb(
  'pause',
  'stop sending within ten seconds; nothing is lost',
  '',
  (runId, operator, { operator: who }) => pauseRun(runId, who, operator),
);
export const resume = verb('resume', 'go on where it was', '', (runId, operator, { operator: who }) =>
  resumeRun(runId, who, operator),
);
export const cancel = verb(
  'cancel',
  'end it; what is not sent stays',
  '',
  (runId, operator, { operator: who }) => cancelRun(runId, who, operator),
);
export const approve = verb(
  'approve',
  'the second word for a discard',
  '',
  (runId, operator, { operator: who }) => approveRun(runId, who, operator),
);
export const rate = verb(
  'rate',
  'another rate from the next slice on',
  ' MESSAGES_PER_SECOND',
  (runId, operator, invocation) => {
    const value = Number(required(invocation, 2, 'MESSAGES_PER_SECOND'));
    if (!Number.isFinite(value)) throw new UsageError('MESSAGES_PER_SECOND must be a number');
    return changeRate(runId, value, invocation.operator, operator);
  },
);

export const report: Command = {
  usage: 'redrive report QUEUE RUN',
  summary: 'what a run did, and its balance',
  async run(invocation) {
    const { store } = await operatorOf(required(invocation, 0, 'QUEUE'), invocation.settings);
    const run = await loadRun(store, required(invocation, 1, 'RUN'));
    invocation.print(invocation.json ? JSON.stringify(run) : runReport(run));
    return EXIT.done;
  },
};

export const runs: Command = {
  usage: 'redrive runs QUEUE',
  summary: 'the latest runs',
  async run(invocation) {
    const name = required(invocation, 0, 'QUEUE');
    const { store } = await operatorOf(name, invocation.settings);
    const all = await store.list(name, 20);
    invocation.print(
      invocation.json
        ? JSON.stringify(all)
        : table(
            ['run', 'begun', 'who', 'what', 'state'],
            all.map((run) => [
              run.runId,
              run.createdAt.slice(0, 19),
              run.plan.operator,
              run.plan.action,
              runLine(run),
            ]),
          ),
    );
    return all.length === 0 ? EXIT.nothing : EXIT.done;
  },
};
