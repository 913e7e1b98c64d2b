import { lanesFor } from '../core/redrive-rate';
import type { OutcomeCounts, RunRecord } from '../core/run-record';
import { isMoving, nextRunState, type RunEvent } from '../core/run-states';
import { trippedRule } from '../core/stop-rules';
import { loadRun } from './begin-run';
import { collectOutcomes } from './collect-outcomes';
import { auditOf, LEASE_MS } from './preflight-run';
import {
  type Clock,
  iso,
  type Ledger,
  type ManagedQueue,
  type QueueDepth,
  type RunStore,
} from './redrive-ports';

/** Messages at a ramp step before the next one is earned. */
const RAMP_SAMPLE = 10;
/** How often a canary is looked at. */
const CANARY_LOOK_SECONDS = 5;

export interface JudgeDependencies {
  readonly ledger: Ledger;
  readonly store: RunStore;
  readonly clock: Clock;
  depth(): Promise<QueueDepth>;
}

export interface Verdict {
  /** `judge`: look again after the wait. */
  readonly next: 'move' | 'judge' | 'pause' | 'settle' | 'end';
  readonly waitSeconds: number;
}

/** With the number of movers side by side, which follows the rate. */
export type Judgement = Verdict & { readonly lanes: number };

/** After each slice: collects outcomes, asks the stop rules and the operator, and says what comes next. */
export async function judgeRun(
  runId: string,
  empty: boolean,
  queue: ManagedQueue,
  dependencies: JudgeDependencies,
): Promise<Judgement> {
  const verdict = await verdictOn(runId, empty, queue, dependencies);
  const { rate } = await loadRun(dependencies.store, runId);
  return { ...verdict, lanes: lanesFor(rate) };
}

async function verdictOn(
  runId: string,
  empty: boolean,
  queue: ManagedQueue,
  { ledger, store, clock, depth }: JudgeDependencies,
): Promise<Verdict> {
  const now = clock.now();
  const collected = await collectOutcomes(runId, ledger, clock);
  await store.count(runId, { outcomes: collected.outcomes });
  await store.lock(queue.name, runId, now, now + LEASE_MS);
  const run = await loadRun(store, runId);
  if (run.state === 'paused') return { next: 'pause', waitSeconds: 0 };
  if (!isMoving(run.state)) return { next: run.state === 'settling' ? 'settle' : 'end', waitSeconds: 0 };

  const turn = async (event: RunEvent, changes: Partial<RunRecord>, verdict: Verdict): Promise<Verdict> => {
    const state = nextRunState(run.state, event);
    if (state === undefined) return verdict;
    await store.save(run, { state, since: iso(now), ...changes });
    await store.audit(queue.name, auditOf(run, iso(now), event, changes.why ?? state));
    return verdict;
  };
  const settle: Verdict = { next: 'settle', waitSeconds: 0 };
  if (run.requested === 'cancel')
    return turn('cancel', { ending: 'cancelled', why: 'cancelled by the operator' }, settle);

  const why = trippedRule(ruleOf(run), {
    ...run.outcomes,
    newSignatures: collected.returnedFor.filter((signature) => !run.signatures.includes(signature)),
    runSeconds: (now - Date.parse(run.startedAt ?? run.createdAt)) / 1000,
  });
  if (why !== undefined) return turn('stop', { ending: 'stopped', why }, settle);
  if (run.requested === 'pause' && (run.state === 'canary' || run.state === 'running'))
    return turn('pause', { pausedFrom: run.state }, { next: 'pause', waitSeconds: 0 });

  const taken = run.counts.sent + run.counts.discarded;
  const full = run.plan.maximumMessages !== undefined && taken >= run.plan.maximumMessages;
  const exhausted = full || (empty && (await nothingLeft(run, ledger, await depth(), now)));
  if (run.state === 'canary') {
    const sentAll = taken >= (run.plan.canary?.size ?? 0) || exhausted;
    if (!sentAll) return { next: 'move', waitSeconds: 0 };
    const soaked =
      now - Date.parse(run.lastSentAt ?? run.since) >= (run.plan.canary?.soakSeconds ?? 0) * 1000;
    if (collected.open.length > 0 && !soaked) return { next: 'judge', waitSeconds: CANARY_LOOK_SECONDS };
    if (settledOf(run.outcomes) === 0 && taken > 0)
      return turn(
        'stop',
        { ending: 'stopped', why: 'no outcome of the canary within its soak time' },
        settle,
      );
    if (exhausted) return turn('exhaust', { ending: 'completed' }, settle);
    return turn('canary-passed', {}, { next: 'move', waitSeconds: 0 });
  }
  if (exhausted) return turn('exhaust', { ending: 'completed' }, settle);
  await climb(run, store);
  return { next: 'move', waitSeconds: 0 };
}

/** Longest that somebody may hide a message from the run: a mover that died, an operator who looks. */
const PATIENCE_MS = 15 * 60 * 1000;

/** Nothing visible, and nothing hidden but by this run. */
async function nothingLeft(
  run: RunRecord,
  ledger: Ledger,
  { visible, inFlight, delayed }: QueueDepth,
  now: number,
): Promise<boolean> {
  if (visible + delayed > 0) return false;
  if (inFlight === 0) return true;
  const since = Math.max(Date.parse(run.since), Date.parse(run.lastSentAt ?? run.since));
  return inFlight <= (await ledger.held(run.runId)).length || now - since > PATIENCE_MS;
}

/** A canary is judged by whatever it has. */
function ruleOf({ state, plan }: RunRecord) {
  if (state !== 'canary') return plan.stop;
  return { ...plan.stop, minimumSample: Math.min(plan.stop.minimumSample, plan.canary?.size ?? 1) };
}

function settledOf({ succeeded, returned }: OutcomeCounts): number {
  return succeeded + returned;
}

/** The next step of the ramp is earned when this one has seen enough outcomes without a rule tripping. */
async function climb(run: RunRecord, store: RunStore): Promise<void> {
  const { plan, rampStep, outcomes } = run;
  if (rampStep >= plan.ramp.length - 1) return;
  const earned = settledOf(outcomes) >= RAMP_SAMPLE * (rampStep + 1) + (plan.canary?.size ?? 0);
  if (earned || plan.action === 'discard') await store.save(run, { rampStep: rampStep + 1 });
}
