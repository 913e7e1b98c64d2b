import path from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs';
import { NodeConsumer } from 'cdk-redrive';
import { describe, expect, it } from 'vitest';
import { only, type Resources } from './shop';

function synthesized(props: NodejsFunctionProps = {}): Resources {
  // Bundling is tried by the journeys, which run the bundle.
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  const stack = new Stack(app, 'Shop');
  const entry = path.join(__dirname, '../../journeys/journey-consumer.ts');
  new NodeConsumer(stack, 'Ship', { entry, ...props });
  return Template.fromStack(stack).toJSON()['Resources'] as Resources;
}

describe('a consumer for Node', () => {
  it('has the newest LTS runtime, JSON logs that end, and source maps', () => {
    const resources = synthesized();
    expect(only(resources, /^Ship[0-9A-F]{8}$/).Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 512,
      Timeout: 30,
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: expect.stringMatching(/^ShipLogs/) } },
      Environment: { Variables: { NODE_OPTIONS: '--enable-source-maps' } },
    });
    expect(only(resources, /^ShipLogs/).Properties).toEqual({ RetentionInDays: 30 });
  });

  it('can be set otherwise, and keeps what is not', () => {
    const { Properties } = only(
      synthesized({
        runtime: Runtime.NODEJS_22_X,
        architecture: Architecture.X86_64,
        timeout: Duration.seconds(7),
        environment: { CARRIER: 'x' },
      }),
      /^Ship[0-9A-F]{8}$/,
    );
    expect(Properties).toMatchObject({
      Runtime: 'nodejs22.x',
      Architectures: ['x86_64'],
      Timeout: 7,
      MemorySize: 512,
      Environment: { Variables: { CARRIER: 'x', NODE_OPTIONS: '--enable-source-maps' } },
    });
  });
});
