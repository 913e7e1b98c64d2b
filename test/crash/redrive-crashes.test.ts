import { expect, it } from 'vitest';
import { crashRedrive } from './redrive-crashes';

/** Every point is tried by `npm run crash -- redrive`; here the ones between which a copy could be lost or doubled. */
const POINTS = [
  { call: 10, moment: 'before', command: 'SendMessageBatchCommand' },
  { call: 10, moment: 'after', command: 'SendMessageBatchCommand' },
  { call: 11, moment: 'after', command: 'BatchWriteItemCommand' },
  { call: 12, moment: 'before', command: 'DeleteMessageBatchCommand' },
] as const;

it.each(POINTS)(
  'a mover that dies $moment $command loses nothing and does nothing twice',
  { timeout: 120_000 },
  async ({ call, moment, command }) => {
    const { name, problems } = await crashRedrive({ call, moment });
    expect(name).toBe(`${moment} ${command}`);
    expect(problems).toEqual([]);
  },
);
