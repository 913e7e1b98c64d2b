import type { SimulatedClock } from './simulated-clock';

const STEP_MS = 50;

/** Lets simulated time pass at the speed of real time, from where it stands. Answers how to stop it. */
export function followRealTime(clock: SimulatedClock): () => void {
  let stopped = false;
  let last = Date.now();
  const step = async (): Promise<void> => {
    if (stopped) return;
    const now = Date.now();
    const passed = now - last;
    last = now;
    await clock.advance(passed);
    if (!stopped) setTimeout(() => void step(), STEP_MS);
  };
  void step();
  return () => {
    stopped = true;
  };
}
