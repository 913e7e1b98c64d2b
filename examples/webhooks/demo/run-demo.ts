import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { operatorOf } from '../../../bin/operator';
import type { RunRecord } from '../../../lib/core/run-record';
import { isFinal } from '../../../lib/core/run-states';
import { beginRun } from '../../../lib/operations/begin-run';
import { listFailureGroups } from '../../../lib/operations/list-failure-groups';
import type { EngineEvent } from '../../../local/gateway/service';
import { type Balance, balanceOf } from './balance';
import { buildDeliveries } from './deliveries';
import type { Screen } from './screen';
import { type Fault, Stage } from './stage';

const MINUTE = 60_000;
const DELIVERIES_PER_SECOND = 4;
const OUTAGE_AFTER = 100;
const OUTAGE_MS = 2 * MINUTE;

export interface DemoOptions {
  readonly screen: Screen;
  readonly fault?: Fault;
  readonly port?: number;
  /** Called with everything still up, before it is struck. */
  linger?(stage: Stage): Promise<void>;
}

/** The whole way of a message, in five acts, on the real payloads of GitHub's webhooks. Answers whether the account balances. */
export async function runDemo({ screen, fault, port, linger }: DemoOptions): Promise<Balance> {
  const started = performance.now();
  const story = new Story(screen);
  screen.act('Synthesize the stack and start it on this machine');
  const stage = await Stage.set({
    onEvent: (event) => story.heard(event),
    ...(fault === undefined ? {} : { fault }),
    ...(port === undefined ? {} : { port }),
  });
  try {
    screen.line(
      `${stage.engine.resources.length} resources at ${stage.engine.endpoint}, nothing leaves 127.0.0.1`,
      'good',
    );
    if (fault !== undefined) screen.line(`a fault is in the consumer on purpose: ${fault}`, 'warn');
    const delivered = await deliver(stage, screen);
    await drain(stage, screen);
    const rejected = await showFailures(stage, screen);
    if (rejected !== undefined) await redrive(stage, screen, rejected);
    const balance = conclude(stage, screen, delivered, performance.now() - started);
    await linger?.(stage);
    return balance;
  } finally {
    await stage.strike();
  }
}

/** Tells of alarms as they go off. */
class Story {
  constructor(private readonly screen: Screen) {}

  heard({ type, detail }: EngineEvent): void {
    if (type === 'cloudwatch.alarm' && detail['to'] === 'ALARM') {
      const name =
        /Alarms([A-Z][a-z]+)/.exec(String(detail['alarmName']))?.[1] ?? String(detail['alarmName']);
      this.screen.line(`alarm ${name}: ${String(detail['reason'])}`, 'warn');
    }
    if (type === 'iam.denied') this.screen.line(`denied: ${String(detail['reason'])}`, 'bad');
  }
}

async function deliver({ clock, sqs, queueUrl, downstream }: Stage, screen: Screen): Promise<Set<string>> {
  const { all, repeated, notJson } = buildDeliveries();
  screen.act(`Deliver ${all.length} webhooks, ${repeated} of them twice, ${notJson} that are not JSON`);
  const delivered = new Set<string>();
  for (const [index, { body, deliveryId, event }] of all.entries()) {
    if (index === OUTAGE_AFTER) {
      downstream.breakFor(OUTAGE_MS);
      screen.line(`the downstream goes down for ${OUTAGE_MS / MINUTE} minutes`, 'warn');
    }
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageAttributes: { 'X-GitHub-Event': text(event), 'X-GitHub-Delivery': text(deliveryId) },
      }),
    );
    delivered.add(deliveryId);
    if (index % DELIVERIES_PER_SECOND === 0) await clock.advance(1_000);
    screen.progress('delivered', index + 1, all.length, `${downstream.effects.size} done`);
  }
  return delivered;
}

async function drain(stage: Stage, screen: Screen): Promise<void> {
  const { clock, downstream } = stage;
  screen.act('Retry what is passing, isolate what is hopeless');
  const begun = clock.now();
  const waiting = stage.depth('webhooks');
  await clock.runUntil(() => {
    const left = stage.depth('webhooks');
    screen.progress(
      'settled',
      waiting - left,
      waiting,
      `${Math.round((clock.now() - begun) / 1000)} s of simulated time`,
    );
    return left === 0;
  }, 120 * MINUTE);
  // The depth alarm looks once a minute.
  await clock.advance(2 * MINUTE);
  const { accepted, unavailable, rateLimited, rejected } = downstream.counts;
  screen.line(`${accepted} accepted by the downstream`, 'good');
  screen.line(`${unavailable} attempts met the outage and ${rateLimited} a 429: retried with backoff`);
  screen.line(`${rejected} rejected for good, the rest of the dead letters never got there`);
  screen.line(`${stage.depth('webhooks-dlq')} messages in the dead-letter queue`, 'warn');
}

async function showFailures({ engine, clock }: Stage, screen: Screen): Promise<string | undefined> {
  screen.act('Read the failures as causes');
  const { failures } = await operatorOf('webhooks', engine.clientConfig(), () => clock.now());
  const groups = await listFailureGroups('webhooks', failures);
  screen.table(
    ['count', 'class', 'code', 'reason'],
    groups
      .slice(0, 8)
      .map(({ count, failureClass, code, reason }) => [String(count), failureClass, code, reason]),
  );
  if (groups.length > 8) screen.line(`and ${groups.length - 8} more groups`);
  return groups.some(({ code }) => code === 'EVENT_REJECTED') ? 'EVENT_REJECTED' : undefined;
}

async function redrive({ engine, clock, downstream }: Stage, screen: Screen, code: string): Promise<void> {
  screen.act('Fix the cause, redrive a canary, then the rest');
  downstream.mend();
  screen.line('the downstream learns the event types that it rejected', 'good');
  const operator = await operatorOf('webhooks', engine.clientConfig(), () => clock.now());
  const request = {
    queue: 'webhooks',
    select: { codes: [code] },
    rate: 1,
    canary: { size: 3, soakSeconds: 30 },
    ramp: [50, 100],
    operator: 'ada',
    reason: 'the downstream accepts these events since today',
  };
  const begun = await beginRun(request, operator.queue, operator);
  if (begun.kind !== 'started') {
    screen.line(`the run did not start: ${begun.kind}`, 'bad');
    return;
  }
  const { runId } = begun.run;
  let run: RunRecord = begun.run;
  let shown = '';
  await clock.runUntil(async () => {
    run = (await operator.store.load(runId)) ?? run;
    const now = `${run.state}: ${run.counts.sent} sent, ${run.outcomes.succeeded} succeeded, ${run.outcomes.returned} returned`;
    if (now !== shown) screen.line(now);
    shown = now;
    return isFinal(run.state);
  }, 60 * MINUTE);
  screen.line(
    `run ${run.state}${run.why === undefined ? '' : `: ${run.why}`}`,
    run.state === 'completed' ? 'good' : 'bad',
  );
  const again = await beginRun(request, operator.queue, operator);
  screen.line(
    `asked again: ${again.kind === 'nothing-to-redrive' ? 'nothing to redrive' : again.kind}`,
    again.kind === 'nothing-to-redrive' ? 'good' : 'bad',
  );
}

function conclude(stage: Stage, screen: Screen, delivered: ReadonlySet<string>, ms: number): Balance {
  screen.act('The balance');
  const balance = balanceOf(stage.account(delivered));
  screen.line(
    `${balance.delivered} delivered = ${balance.effective} done once + ${balance.deadLettered} in the dead-letter queue, ${balance.stillQueued} still queued`,
    balance.holds ? 'good' : 'bad',
  );
  for (const [what, ids] of Object.entries({
    lost: balance.lost,
    'done twice': balance.twice,
    'done and dead-lettered': balance.both,
    'from nowhere': balance.unknown,
  }))
    if (ids.length > 0) screen.line(`${ids.length} ${what}: ${ids.slice(0, 3).join(', ')}`, 'bad');
  const denied = stage.engine.deniedCalls().length;
  if (denied > 0) screen.line(`${denied} calls were denied`, 'bad');
  screen.verdict(
    `${balance.holds ? 'The account balances: nothing lost, nothing done twice' : 'THE ACCOUNT DOES NOT BALANCE'} (${(ms / 1000).toFixed(1)} s)`,
    balance.holds ? 'good' : 'bad',
  );
  return balance;
}
