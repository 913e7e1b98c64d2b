import { listFailureGroups } from '../../lib/operations/list-failure-groups';
import { operatorOf } from '../operator';
import { table } from '../render/table';
import { type Command, EXIT, required } from './command';

export const groups: Command = {
  usage: 'redrive groups QUEUE',
  summary: 'failures by cause, the most frequent first',
  async run(invocation) {
    const name = required(invocation, 0, 'QUEUE');
    const { failures, queues, queue } = await operatorOf(name, invocation.settings);
    const [all, depth] = await Promise.all([
      listFailureGroups(name, failures),
      queues.depth(queue.deadLetterUrl),
    ]);
    if (invocation.json) invocation.print(JSON.stringify({ depth, groups: all }));
    else {
      invocation.print(`${depth.visible} messages in the dead-letter queue, ${depth.inFlight} hidden`);
      if (all.length > 0)
        invocation.print(
          table(
            ['open', 'seen', 'class', 'code', 'reason', 'last seen', 'signature'],
            all.map(({ open, count, failureClass, code, reason, lastSeenAt, signature }) => [
              String(open),
              String(count),
              failureClass,
              code,
              reason.slice(0, 60),
              lastSeenAt.slice(0, 19),
              signature,
            ]),
          ),
        );
    }
    return all.length === 0 && depth.visible === 0 ? EXIT.nothing : EXIT.done;
  },
};
