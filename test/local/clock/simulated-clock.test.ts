import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../local/clock/simulated-clock';

describe('SimulatedClock', () => {
  it('runs timers in order of time, each at its own time, and lands on the target', async () => {
    const clock = new SimulatedClock(0);
    const seen: [string, number][] = [];
    clock.after(300, () => seen.push(['c', clock.now()]));
    clock.after(100, () => seen.push(['a', clock.now()]));
    clock.after(100, () => seen.push(['b', clock.now()]));
    await clock.advance(1000);
    expect(seen).toEqual([
      ['a', 100],
      ['b', 100],
      ['c', 300],
    ]);
    expect(clock.now()).toBe(1000);
  });

  it('runs a chain of timers that are set while time passes', async () => {
    const clock = new SimulatedClock(0);
    let ticks = 0;
    const tick = async (): Promise<void> => {
      for (;;) {
        await clock.sleep(60_000);
        ticks++;
      }
    };
    void tick();
    await clock.advance(14 * 24 * 3600_000);
    expect(ticks).toBe(14 * 24 * 60);
  });

  it('stands still while work is under way', async () => {
    const clock = new SimulatedClock(0);
    let fired = false;
    clock.after(10, () => {
      fired = true;
    });
    const release = clock.hold();
    const advancing = clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(fired).toBe(false);
    release();
    await advancing;
    expect(fired).toBe(true);
  });

  it('does not run a cancelled timer', async () => {
    const clock = new SimulatedClock(0);
    const timer = clock.after(10, () => {
      throw new Error('must not run');
    });
    timer.cancel();
    timer.cancel();
    await clock.advance(100);
    expect(clock.now()).toBe(100);
  });

  it('answers whether the condition came true within the limit', async () => {
    const clock = new SimulatedClock(0);
    let done = false;
    clock.after(5_000, () => {
      done = true;
    });
    expect(await clock.runUntil(() => done, 4_000)).toBe(false);
    expect(await clock.runUntil(() => done, 4_000)).toBe(true);
    expect(clock.now()).toBe(5_000);
  });
});
