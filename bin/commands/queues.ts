import { registryOf } from '../operator';
import { table } from '../render/table';
import { type Command, EXIT } from './command';

export const queues: Command = {
  usage: 'redrive queues',
  summary: 'the queues that can be redriven here',
  async run({ settings, json, print }) {
    const all = await registryOf(settings).list();
    print(
      json
        ? JSON.stringify(all)
        : table(
            ['queue', 'type', 'dead-letter queue'],
            all.map(({ name, fifo, deadLetterArn }) => [name, fifo ? 'FIFO' : 'standard', deadLetterArn]),
          ),
    );
    return all.length === 0 ? EXIT.nothing : EXIT.done;
  },
};
