import type { RunRecord } from '../../lib/core/run-record';
import { isFinal } from '../../lib/core/run-states';
import { RedriveRig } from '../lib/operations/redrive-rig';
import { Crash, type Moment } from './crash-points';

const MESSAGES = 25;
const NOT_SELECTED = 5;
/** They come back once, and stay in the dead-letter queue. */
const RETURNING = ['m3', 'm11'];
const RESTARTS = 5;

export interface CrashPoint {
  readonly call: number;
  readonly moment: Moment;
}

/** How many AWS calls one run makes when nothing goes wrong. */
export async function countCalls(): Promise<number> {
  const rig = await RedriveRig.start();
  try {
    const runId = await planned(rig);
    rig.crash.arm(-1, 'before');
    await rig.carryOut(runId, consume);
    return rig.crash.calls;
  } finally {
    await rig.stop();
  }
}

/** Kills the run at one point, lets it go on as the state machine would, and answers what is wrong then; nothing when all is well. */
export async function crashRedrive({
  call,
  moment,
}: CrashPoint): Promise<{ readonly name: string; readonly problems: readonly string[] }> {
  const rig = await RedriveRig.start();
  try {
    const runId = await planned(rig);
    rig.crash.arm(call, moment);
    let run: RunRecord | undefined;
    let name = 'not reached';
    for (let start = 0; start < RESTARTS; start++)
      try {
        run = await rig.carryOut(runId, consume);
        break;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        name = error.message;
        rig.crash.disarm();
        await rig.clock.advance(2_000);
      }
    return { name, problems: await problemsOf(rig, run) };
  } finally {
    await rig.stop();
  }
}

const consume = (body: string): boolean => !RETURNING.includes(body);

async function planned(rig: RedriveRig): Promise<string> {
  for (let index = 0; index < MESSAGES; index++)
    await rig.deadLetter(`m${index}`, {
      signature: index < MESSAGES - NOT_SELECTED ? 'v1-fixed' : 'v1-other',
    });
  const begun = await rig.begin({
    select: { signatures: ['v1-fixed'] },
    rate: 10,
    ramp: [100],
    canary: { size: 2, soakSeconds: 30 },
    stop: { failureShare: 1, minimumSample: 1 },
  });
  if (begun.kind !== 'started') throw new Error(begun.kind);
  return begun.run.runId;
}

async function problemsOf(rig: RedriveRig, run: RunRecord | undefined): Promise<string[]> {
  const problems: string[] = [];
  if (run === undefined || !isFinal(run.state)) problems.push(`the run is ${run?.state ?? 'not there'}`);
  // Long enough for everything that is hidden to show again.
  await rig.clock.advance(900_000);
  await rig.consumeAll(consume);
  const dead = rig.deadBodies();
  const done = [...rig.effects.keys()].map((id) => rig.bodies.get(id) ?? `unknown ${id}`);
  const all = [...rig.bodies.values()];
  const lost = all.filter((body) => !dead.includes(body) && !done.includes(body));
  if (lost.length > 0) problems.push(`lost: ${lost.join(', ')}`);
  if (new Set(dead).size !== dead.length) problems.push(`twice in the dead-letter queue: ${dead.join(', ')}`);
  const both = dead.filter((body) => done.includes(body));
  if (both.length > 0) problems.push(`done and in the dead-letter queue: ${both.join(', ')}`);
  if ([...rig.effects.values()].some((count) => count !== 1)) problems.push('a business effect twice');
  if (dead.some((body) => !all.includes(body))) problems.push('a body was changed');
  const balance = JSON.parse(run?.report ?? '{}');
  if (balance.holds !== true) problems.push(`the account does not balance: ${run?.report}`);
  if (balance.succeeded !== done.length)
    problems.push(`${balance.succeeded} succeeded in the account, ${done.length} effects`);
  const { visible } = await rig.queues.depth(rig.queue.deadLetterUrl);
  if (visible !== dead.length) problems.push(`${dead.length - visible} messages are still hidden`);
  return problems;
}
