import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../lib/core/run-record';
import { approveRun } from '../../../lib/operations/begin-run';
import { cancelRun, changeRate, pauseRun, resumeRun } from '../../../lib/operations/control-run';
import { RedriveRig } from './redrive-rig';

let rig: RedriveRig;
beforeEach(async () => {
  rig = await RedriveRig.start();
});
afterEach(() => rig.stop());

async function started(request = {}): Promise<string> {
  const begun = await rig.begin({ rate: 10, ramp: [100], canary: { size: 2, soakSeconds: 30 }, ...request });
  if (begun.kind === 'nothing-to-redrive') throw new Error('nothing to redrive');
  return begun.run.runId;
}

const fail = (count: number, failure = {}): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => rig.deadLetter(`m${index}`, failure)));

describe('a run', () => {
  it('brings everything back once, and its account balances', async () => {
    await fail(25);
    const run = await rig.carryOut(await started());
    expect(run.state).toBe('completed');
    expect(JSON.parse(run.report ?? '')).toMatchObject({
      selected: 25,
      succeeded: 25,
      returned: 0,
      holds: true,
    });
    expect(rig.effects.size).toBe(25);
    expect([rig.deadBodies(), rig.liveBodies(rig.queue.replayUrl)]).toEqual([[], []]);
    expect(await rig.begin()).toMatchObject({ kind: 'nothing-to-redrive' });
  });

  it('keeps body, attributes and message group byte for byte', async () => {
    await rig.stop();
    rig = await RedriveRig.start({ fifo: true });
    await rig.deadLetter('{"a": 1}\r\n🚚', {}, { groupId: 'tenant-7' });
    const runId = await started();
    let seen: unknown;
    const replay = rig.sqs.queues.byUrl(rig.queue.replayUrl);
    const run = await rig.carryOut(runId, () => {
      seen = [...replay.live.values()].map(({ body, attributes, groupId }) => ({
        body,
        attributes,
        groupId,
      }));
      return true;
    });
    expect(run.state).toBe('completed');
    expect(seen).toEqual([
      {
        body: '{"a": 1}\r\n🚚',
        attributes: { trace: { dataType: 'String', stringValue: '{"a": 1}\r\n🚚' } },
        groupId: 'tenant-7',
      },
    ]);
  });

  it('stops after the canary when the fix is none', async () => {
    await fail(50);
    const run = await rig.carryOut(await started(), () => false);
    expect(run).toMatchObject({ state: 'stopped', counts: { sent: 2 } });
    expect(run.why).toContain('2 of 2 came back');
    expect(rig.deadBodies()).toHaveLength(50);
    expect(JSON.parse(run.report ?? '')).toMatchObject({ selected: 2, returned: 2, holds: true });
  });

  it('stops in mid-run at the failure share, and sends no more than one look-ahead window after', async () => {
    await fail(400);
    let handled = 0;
    const runId = await started({ rate: 10, stop: { failureShare: 0.05, minimumSample: 10 } });
    const run = await rig.carryOut(runId, () => ++handled <= 100 || handled % 5 !== 0);
    expect(run.state).toBe('stopped');
    expect(run.counts.sent).toBeGreaterThan(100);
    expect(run.counts.sent).toBeLessThanOrEqual(202);
    expect(JSON.parse(run.report ?? '').holds).toBe(true);
    expect(rig.deadBodies().length + rig.effects.size).toBe(400);
  });

  it('takes only what is selected and shows the rest again', async () => {
    for (let index = 0; index < 12; index++)
      await rig.deadLetter(`m${index}`, { signature: index % 3 === 0 ? 'v1-fixed' : 'v1-other' });
    const run = await rig.carryOut(await started({ select: { signatures: ['v1-fixed'] } }));
    expect(run).toMatchObject({ state: 'completed', counts: { sent: 4 } });
    expect(rig.deadBodies()).toHaveLength(8);
    expect(await rig.queues.depth(rig.queue.deadLetterUrl)).toEqual({ visible: 8, inFlight: 0, delayed: 0 });
  });

  it('leaves alone what came back too often, until told otherwise', async () => {
    await rig.deadLetter('poison', { redrives: 3 });
    const parked = await rig.carryOut(await started());
    expect(parked).toMatchObject({ state: 'completed', counts: { sent: 0 } });
    expect(parked.counts.parked).toBeGreaterThan(0);
    await rig.clock.advance(900_000);
    const again = await rig.carryOut(await started({ includeParked: true }));
    expect(again.counts.sent).toBe(1);
  });

  it('keeps the original id over two lives', async () => {
    const [original] = await fail(1);
    await rig.carryOut(await started({ stop: { failureShare: 1, minimumSample: 1 } }), () => false);
    await rig.clock.advance(900_000);
    const run = await rig.carryOut(await started());
    expect(run.state).toBe('completed');
    expect([...rig.effects]).toEqual([[original, 1]]);
    const entries = [];
    for await (const entry of rig.ledger.all(run.runId)) entries.push(entry);
    expect(entries).toMatchObject([{ originalMessageId: original, outcome: 'succeeded' }]);
  });
});

describe('the rate', () => {
  it('is kept within two per cent over a run, and never more than 110 per cent in a second', async () => {
    await fail(300);
    const visibleAt: number[] = [];
    await rig.carryOut(await started({ rate: 7, canary: undefined }), () => {
      visibleAt.push(Math.floor(rig.clock.now() / 1000));
      return true;
    });
    expect(visibleAt).toHaveLength(300);
    const perSecond = new Map<number, number>();
    for (const second of visibleAt) perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(7);
    const seconds = Math.max(...visibleAt) - Math.min(...visibleAt) + 1;
    expect(Math.abs(300 / seconds - 7) / 7).toBeLessThan(0.02);
  });

  it('can be changed while the run goes on', async () => {
    await fail(200);
    const runId = await started({ rate: 1, canary: undefined });
    await rig.carryOut(runId, () => true, 3);
    const slow = (await rig.store.load(runId)) as RunRecord;
    await changeRate(runId, 50, 'ada', {
      store: rig.store,
      executions: { wake: async () => {} },
      clock: rig.clock,
    });
    await rig.carryOut(runId, () => true, 3);
    const fast = (await rig.store.load(runId)) as RunRecord;
    expect(slow.counts.sent).toBeLessThanOrEqual(30);
    expect(fast.counts.sent).toBe(200);
  });
});

describe('the operator', () => {
  const control = () => ({ store: rig.store, executions: { wake: async () => {} }, clock: rig.clock });

  it('pauses over a weekend and resumes', async () => {
    await fail(60);
    const runId = await started({ rate: 1, canary: undefined });
    await rig.carryOut(runId, () => true, 2);
    await pauseRun(runId, 'ada', control());
    const paused = await rig.carryOut(runId);
    expect(paused.state).toBe('paused');
    const { sent } = paused.counts;
    await rig.clock.advance(64 * 3_600_000);
    expect((await rig.store.load(runId))?.counts.sent).toBe(sent);
    await resumeRun(runId, 'ada', control());
    const run = await rig.carryOut(runId);
    expect(run).toMatchObject({ state: 'completed', counts: { sent: 60 } });
  });

  it('cancels; what is not sent stays', async () => {
    await fail(60);
    const runId = await started({ rate: 1, canary: undefined });
    await rig.carryOut(runId, () => true, 2);
    await cancelRun(runId, 'ada', control());
    const run = await rig.carryOut(runId);
    expect(run.state).toBe('cancelled');
    expect(rig.deadBodies().length + rig.effects.size).toBe(60);
    expect((await rig.queues.depth(rig.queue.deadLetterUrl)).visible).toBe(rig.deadBodies().length);
    await expect(pauseRun(runId, 'ada', control())).rejects.toMatchObject({ code: 'RUN_NOT_MOVING' });
  });

  it('discards only with a second person', async () => {
    await fail(3);
    const begun = await rig.begin({ action: 'discard' });
    if (begun.kind !== 'awaits-approval') throw new Error(begun.kind);
    const { runId } = begun.run;
    const executions = { start: async () => '', wake: async () => {} };
    await expect(
      approveRun(runId, 'Ada', { store: rig.store, executions, clock: rig.clock }),
    ).rejects.toMatchObject({ code: 'APPROVAL_BY_SAME_PERSON' });
    await approveRun(runId, 'grace', { store: rig.store, executions, clock: rig.clock });
    const run = await rig.carryOut(runId);
    expect(JSON.parse(run.report ?? '')).toMatchObject({ selected: 3, discarded: 3, holds: true });
    expect([rig.deadBodies(), rig.effects.size]).toEqual([[], 0]);
  });

  it('is told who works on the queue already', async () => {
    await fail(20);
    const first = await started({ rate: 1 });
    await rig.carryOut(first, () => true, 1);
    const second = await rig.carryOut(await started());
    expect(second).toMatchObject({ state: 'failed', why: expect.stringContaining(first) });
  });
});
