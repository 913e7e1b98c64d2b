export const RUN_STATES = [
  'planned',
  'preflight',
  'canary',
  'running',
  'paused',
  'settling',
  'completed',
  'stopped',
  'cancelled',
  'failed',
] as const;

export type RunState = (typeof RUN_STATES)[number];

/** How a run ends after it has settled. */
export type RunEnding = 'completed' | 'stopped' | 'cancelled' | 'failed';

export type RunEvent =
  | 'begin'
  | 'admit-canary'
  | 'admit'
  | 'refuse'
  | 'canary-passed'
  | 'pause'
  | 'resume-canary'
  | 'resume'
  | 'exhaust'
  | 'stop'
  | 'cancel'
  | 'complete'
  | 'settle-stopped'
  | 'settle-cancelled'
  | 'fail';

/** The one table of what may follow what; the state machine, the command line and the console read it. */
const TRANSITIONS: Readonly<Record<RunState, Partial<Readonly<Record<RunEvent, RunState>>>>> = {
  planned: { begin: 'preflight', cancel: 'cancelled', fail: 'failed' },
  preflight: {
    'admit-canary': 'canary',
    admit: 'running',
    refuse: 'failed',
    cancel: 'settling',
    fail: 'failed',
  },
  canary: {
    'canary-passed': 'running',
    pause: 'paused',
    exhaust: 'settling',
    stop: 'settling',
    cancel: 'settling',
    fail: 'failed',
  },
  running: { pause: 'paused', exhaust: 'settling', stop: 'settling', cancel: 'settling', fail: 'failed' },
  paused: {
    'resume-canary': 'canary',
    resume: 'running',
    stop: 'settling',
    cancel: 'settling',
    fail: 'failed',
  },
  settling: {
    complete: 'completed',
    'settle-stopped': 'stopped',
    'settle-cancelled': 'cancelled',
    fail: 'failed',
  },
  completed: {},
  stopped: {},
  cancelled: {},
  failed: {},
};

/** The state after the event, or undefined when the event has no place in this state. */
export function nextRunState(state: RunState, event: RunEvent): RunState | undefined {
  return TRANSITIONS[state][event];
}

/** True when nothing can follow any more. */
export function isFinal(state: RunState): boolean {
  return Object.keys(TRANSITIONS[state]).length === 0;
}

/** True while messages may be moved. */
export function isMoving(state: RunState): boolean {
  return state === 'canary' || state === 'running';
}
