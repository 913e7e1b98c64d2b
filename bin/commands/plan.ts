import { planOf, planProblems } from '../../lib/core/redrive-plan';
import { isSelected } from '../../lib/core/redrive-selection';
import { operatorOf } from '../operator';
import { table } from '../render/table';
import { type Command, EXIT } from './command';
import { PLAN_OPTIONS, planRequestOf, SELECTION_USAGE } from './selection-options';

export const plan: Command = {
  usage: `redrive plan QUEUE ${SELECTION_USAGE} [--rate N] [--canary N]`,
  summary: 'what a redrive would do; touches nothing',
  options: PLAN_OPTIONS,
  async run(invocation) {
    const request = planRequestOf(invocation, false);
    const { failures, queues, queue } = await operatorOf(request.queue, invocation.settings);
    const wanted = planOf(request);
    const problems = planProblems(wanted);
    if (problems.length > 0) {
      invocation.print(
        problems
          .map(({ field, given, allowed }) => `${field}: given ${given}, allowed ${allowed}`)
          .join('\n'),
      );
      return EXIT.usage;
    }
    const depth = await queues.depth(queue.deadLetterUrl);
    const counts = new Map<string, number>();
    let oldest: string | undefined;
    for await (const failure of failures.deadLettered(request.queue)) {
      const { originalMessageId, messageIds, redrives, code, signature, firstFailedAt } = failure;
      const ids = { messageId: messageIds.at(-1) ?? originalMessageId, originalMessageId };
      if (!isSelected({ ...ids, receiveCount: 0, redrives, failure }, wanted.select)) continue;
      const key = `${code} ${signature}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (oldest === undefined || firstFailedAt < oldest) oldest = firstFailedAt;
    }
    const selected = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const messages = wanted.select.all === true && counts.size === 0 ? depth.visible : selected;
    if (invocation.json)
      invocation.print(
        JSON.stringify({ plan: wanted, depth, messages, groups: Object.fromEntries(counts), oldest }),
      );
    else {
      invocation.print(
        `${messages} messages, at ${wanted.rate}/s about ${Math.ceil(messages / wanted.rate)} s plus the canary${oldest === undefined ? '' : `; the oldest failed at ${oldest}`}`,
      );
      if (counts.size > 0)
        invocation.print(
          table(
            ['messages', 'cause'],
            [...counts].map(([cause, count]) => [String(count), cause]),
          ),
        );
      if (queue.fifo)
        invocation.print(
          'FIFO: later messages of the same message groups may have been handled already; the order is not restored',
        );
    }
    return messages === 0 ? EXIT.nothing : EXIT.done;
  },
};
