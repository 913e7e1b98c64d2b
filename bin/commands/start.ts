import { type Begun, beginRun } from '../../lib/operations/begin-run';
import { operatorOf } from '../operator';
import { type Command, EXIT, type ExitCode, type Invocation } from './command';
import { PLAN_OPTIONS, planRequestOf, SELECTION_USAGE } from './selection-options';
import { followRun } from './watch';

const OPTIONS = { ...PLAN_OPTIONS, detach: { type: 'boolean' }, yes: { type: 'boolean' } } as const;

async function begin(invocation: Invocation, action: 'redrive' | 'discard'): Promise<ExitCode> {
  const request = { ...planRequestOf(invocation, true), action };
  const operator = await operatorOf(request.queue, invocation.settings);
  const depth = await operator.queues.depth(operator.queue.deadLetterUrl);
  const question = `${action} from ${request.queue}, which has ${depth.visible} dead letters, ${JSON.stringify(request.select)}?`;
  if (invocation.values['yes'] !== true && !(await invocation.confirm(question))) {
    invocation.print('not confirmed; nothing has been touched (--yes answers for you)');
    return EXIT.usage;
  }
  const begun: Begun = await beginRun(request, operator.queue, operator);
  if (begun.kind === 'nothing-to-redrive') {
    invocation.print(invocation.json ? JSON.stringify(begun) : 'there is nothing to redrive');
    return EXIT.nothing;
  }
  const { runId } = begun.run;
  if (begun.kind === 'awaits-approval') {
    invocation.print(
      invocation.json
        ? JSON.stringify({ runId, state: 'planned' })
        : `run ${runId} waits for a second person: redrive approve ${request.queue} ${runId}`,
    );
    return EXIT.done;
  }
  invocation.print(invocation.json ? JSON.stringify({ runId, state: 'started' }) : `run ${runId}`);
  return invocation.values['detach'] === true ? EXIT.done : followRun(invocation, operator, runId);
}

export const start: Command = {
  usage: `redrive start QUEUE ${SELECTION_USAGE} --reason TEXT [--rate N] [--canary N] [--stop-share 0.05] [--detach] [--yes]`,
  summary: 'redrive what is selected: canary first, then at the rate',
  options: OPTIONS,
  run: (invocation) => begin(invocation, 'redrive'),
};

export const discard: Command = {
  usage: `redrive discard QUEUE ${SELECTION_USAGE} --reason TEXT [--yes]`,
  summary: 'plan to delete what is selected; a second person approves',
  options: OPTIONS,
  run: (invocation) => begin(invocation, 'discard'),
};
