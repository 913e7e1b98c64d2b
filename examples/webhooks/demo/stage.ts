import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { App } from 'aws-cdk-lib';
import { SimulatedClock } from '../../../local/clock/simulated-clock';
import type { LocalEngine } from '../../../local/engine';
import type { EngineEvent } from '../../../local/gateway/service';
import { type LocalServices, startLocal } from '../../../local/start-local';
import { WebhookStack } from '../stack';
import type { Account } from './balance';
import { Downstream } from './downstream';

/** Faults that can be put into the consumer on purpose. */
export const FAULTS = { swallow: 'swallowing-consumer.ts', twice: 'repeating-consumer.ts' } as const;

export type Fault = keyof typeof FAULTS;

/** Everything that the demo plays on: the synthesized stack on the engine, in simulated time, with its downstream. */
export class Stage {
  private constructor(
    readonly clock: SimulatedClock,
    readonly downstream: Downstream,
    readonly engine: LocalEngine<LocalServices>,
    readonly sqs: SQSClient,
    private readonly assembly: string,
  ) {}

  static async set(options: {
    readonly fault?: Fault;
    readonly port?: number;
    onEvent(event: EngineEvent): void;
  }): Promise<Stage> {
    const assembly = mkdtempSync(path.join(tmpdir(), 'webhooks-'));
    const app = new App({ outdir: assembly });
    new WebhookStack(
      app,
      'Webhooks',
      options.fault === undefined ? {} : { consumerEntry: path.join(__dirname, FAULTS[options.fault]) },
    );
    app.synth();
    const clock = new SimulatedClock(Math.floor(Date.now() / 60_000) * 60_000);
    const downstream = new Downstream(() => clock.now());
    const DownstreamUrl = await downstream.start();
    const engine = await startLocal({
      assembly,
      clock,
      parameters: { DownstreamUrl },
      onEvent: (event) => options.onEvent(event),
      ...(options.port === undefined ? {} : { port: options.port }),
    });
    return new Stage(clock, downstream, engine, new SQSClient(engine.clientConfig()), assembly);
  }

  get queueUrl(): string {
    return String(this.engine.outputs['Webhooks']?.['QueueUrl']);
  }

  /** Messages in a queue, in flight and delayed ones included. */
  depth(queueName: string): number {
    return this.engine.services.sqs.queues.find(queueName)?.live.size ?? 0;
  }

  account(delivered: ReadonlySet<string>): Account {
    const dead = this.engine.services.sqs.queues.find('webhooks-dlq')?.live.values() ?? [];
    return {
      delivered,
      effects: this.downstream.effects,
      deadLettered: [...dead].map(
        ({ attributes }) => attributes?.['X-GitHub-Delivery']?.stringValue ?? 'without an id',
      ),
      stillQueued: this.depth('webhooks') + this.depth('webhooks-replay'),
    };
  }

  async strike(): Promise<void> {
    this.sqs.destroy();
    await this.engine.stop();
    await this.downstream.stop();
    rmSync(this.assembly, { recursive: true, force: true });
  }
}
