import { describe, expect, it } from 'vitest';
import { runDemo } from '../../examples/webhooks/demo/run-demo';
import { Screen } from '../../examples/webhooks/demo/screen';
import { FAULTS, type Fault } from '../../examples/webhooks/demo/stage';

describe('the demo', { timeout: 180_000 }, () => {
  it.each(Object.keys(FAULTS) as Fault[])(
    'does not balance when a fault is put into the consumer: %s',
    async (fault) => {
      const lines: string[] = [];
      const balance = await runDemo({
        screen: new Screen({ write: (text) => lines.push(text) }, { CI: '1' }),
        fault,
      });
      expect(balance.holds).toBe(false);
      expect(balance[fault === 'swallow' ? 'lost' : 'twice'].length).toBeGreaterThan(0);
      expect(lines.join('')).toContain('THE ACCOUNT DOES NOT BALANCE');
    },
  );
});
