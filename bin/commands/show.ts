import { operatorOf } from '../operator';
import { type Command, EXIT, required } from './command';

export const show: Command = {
  usage: 'redrive show QUEUE ORIGINAL_ID',
  summary: 'what is known of one failed message; never its body',
  async run(invocation) {
    const { failures } = await operatorOf(required(invocation, 0, 'QUEUE'), invocation.settings);
    const failure = await failures.failure(
      required(invocation, 0, 'QUEUE'),
      required(invocation, 1, 'ORIGINAL_ID'),
    );
    if (failure === undefined) {
      invocation.print('nothing is known of this message');
      return EXIT.nothing;
    }
    const shown = Object.entries(failure).filter(
      ([name]) => !['pk', 'sk', 'listKey', 'listSort', 'expiresAt'].includes(name),
    );
    invocation.print(
      invocation.json
        ? JSON.stringify(Object.fromEntries(shown))
        : shown.map(([name, value]) => `${name.padEnd(20)} ${String(value)}`).join('\n'),
    );
    return EXIT.done;
  },
};
