import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, CfnParameter, Duration, Stack } from 'aws-cdk-lib';
import { NodeConsumer, RecoverableQueue, type RecoverableQueueProps } from 'cdk-redrive';
import { type Operator, operatorOf } from '../../bin/operator';
import type { PlanRequest } from '../../lib/core/redrive-plan';
import type { RunRecord } from '../../lib/core/run-record';
import { isFinal } from '../../lib/core/run-states';
import { type Begun, beginRun } from '../../lib/operations/begin-run';
import { SimulatedClock } from '../../local/clock/simulated-clock';
import type { LocalEngine } from '../../local/engine';
import type { EngineEvent } from '../../local/gateway/service';
import type { StoredMessage } from '../../local/sqs/stored-message';
import { type LocalServices, startLocal } from '../../local/start-local';
import type { Order } from './journey-consumer';

export interface JourneyOptions {
  readonly queue?: RecoverableQueueProps;
  readonly attempts?: number;
  readonly consumerEntry?: string;
}

/** A stack of the real constructs, synthesized and run by the engine, with the carrier that its consumer calls. */
export class Journey {
  readonly clock = new SimulatedClock();
  readonly events: EngineEvent[] = [];
  /** Business effects by operation id. */
  readonly effects = new Map<string, number>();
  /** SKUs that the carrier does not know. */
  readonly unknownSkus = new Set<string>(['unknown']);
  private readonly assembly = mkdtempSync(path.join(tmpdir(), 'journey-'));
  private carrier!: Server;
  engine!: LocalEngine<LocalServices>;
  operator!: Operator;

  static async start({ queue, attempts, consumerEntry }: JourneyOptions = {}): Promise<Journey> {
    const journey = new Journey();
    const app = new App({ outdir: journey.assembly });
    const stack = new Stack(app, 'Shop');
    const url = new CfnParameter(stack, 'CarrierUrl').valueAsString;
    const orders = new RecoverableQueue(stack, 'Orders', {
      queueName: 'orders',
      owner: 'shop team',
      ...queue,
    });
    const consumer = new NodeConsumer(stack, 'Ship', {
      entry: consumerEntry ?? path.join(__dirname, 'journey-consumer.ts'),
      timeout: Duration.seconds(20),
      environment: { CARRIER_URL: url, ...(attempts === undefined ? {} : { ATTEMPTS: String(attempts) }) },
      bundling: { tsconfig: path.join(__dirname, '../tsconfig.json') },
    });
    orders.addConsumer(consumer, { maxConcurrency: 2, replayMaxConcurrency: 2 });
    app.synth();
    const CarrierUrl = await journey.startCarrier();
    journey.engine = await startLocal({
      assembly: journey.assembly,
      clock: journey.clock,
      parameters: { CarrierUrl },
      onEvent: (event) => journey.events.push(event),
    });
    journey.operator = await operatorOf(journey.name(''), journey.engine.clientConfig(), () =>
      journey.clock.now(),
    );
    return journey;
  }

  /** `orders`, `orders-dlq` or `orders-replay`, with `.fifo` where it belongs. */
  name(suffix: string): string {
    const names = [...this.engine.services.sqs.queues.all()].map(({ name }) => name);
    return names.find((name) => name.replace(/\.fifo$/, '') === `orders${suffix}`) ?? 'missing';
  }

  messages(suffix = ''): StoredMessage[] {
    return [...(this.engine.services.sqs.queues.find(this.name(suffix))?.live.values() ?? [])];
  }

  /** Messages in the source queue, the dead-letter queue and the replay queue. */
  depths(): [source: number, deadLetter: number, replay: number] {
    return [this.messages().length, this.messages('-dlq').length, this.messages('-replay').length];
  }

  send(order: Order | string, groupId?: string): string {
    const queue = this.engine.services.sqs.queues.find(this.name(''));
    const body = typeof order === 'string' ? order : JSON.stringify(order);
    const draft = groupId === undefined ? {} : { groupId, deduplicationId: `${body}-${this.clock.now()}` };
    return queue?.send({ body, senderId: 'producer', ...draft }).messageId ?? '';
  }

  /** Until the source queue is empty. */
  async drain(): Promise<void> {
    const drained = await this.clock.runUntil(() => this.messages().length === 0, 3_600_000);
    if (!drained) throw new Error(`the source queue does not drain: ${JSON.stringify(this.depths())}`);
  }

  async redrive(request: Partial<PlanRequest> = {}): Promise<{ begun: Begun; run?: RunRecord }> {
    const begun = await beginRun(
      {
        queue: this.operator.queue.name,
        select: { all: true },
        rate: 5,
        canary: { size: 1, soakSeconds: 60 },
        operator: 'ada',
        reason: 'corrected',
        ...request,
      },
      this.operator.queue,
      this.operator,
    );
    if (begun.kind !== 'started') return { begun };
    const { runId } = begun.run;
    let run: RunRecord | undefined;
    await this.clock.runUntil(async () => {
      run = await this.operator.store.load(runId);
      return run !== undefined && isFinal(run.state);
    }, 7_200_000);
    return { begun, ...(run === undefined ? {} : { run }) };
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    this.carrier.closeAllConnections();
    await new Promise((resolve) => this.carrier.close(resolve));
    rmSync(this.assembly, { recursive: true, force: true });
  }

  private async startCarrier(): Promise<string> {
    this.carrier = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const { sku, operationId } = JSON.parse(text) as { sku: string; operationId: string };
      const known = !this.unknownSkus.has(sku);
      if (known) this.effects.set(operationId, (this.effects.get(operationId) ?? 0) + 1);
      response.writeHead(known ? 201 : 422).end();
    });
    await new Promise<void>((resolve) => this.carrier.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.carrier.address() as AddressInfo).port}`;
  }
}
