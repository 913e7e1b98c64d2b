import { Duration } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, type NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/**
 * A function in TypeScript or JavaScript with the defaults of a consumer: bundled by esbuild with source maps, the newest
 * LTS runtime, arm64, 30 seconds, a month of logs. Everything can be set otherwise.
 */
export class NodeConsumer extends NodejsFunction {
  constructor(scope: Construct, id: string, props: NodejsFunctionProps) {
    super(scope, id, {
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.seconds(30),
      ...props,
      logGroup:
        props.logGroup ?? new logs.LogGroup(scope, `${id}Logs`, { retention: logs.RetentionDays.ONE_MONTH }),
      environment: { NODE_OPTIONS: '--enable-source-maps', ...props.environment },
      bundling: {
        minify: true,
        keepNames: true,
        sourceMap: true,
        target: 'node22',
        logLevel: LogLevel.WARNING,
        ...props.bundling,
      },
    });
  }
}
