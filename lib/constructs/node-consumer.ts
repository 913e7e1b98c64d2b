import { Duration } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import {
  LogLevel,
  NodejsFunction,
  type NodejsFunctionProps,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** For packages in CommonJS that are bundled along: ES modules have no require of their own. */
const REQUIRE = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/**
 * A function in TypeScript or JavaScript with the defaults of a consumer: bundled by esbuild as an ES module with source
 * maps, the newest LTS runtime, arm64, 512 MB, 30 seconds, logs in JSON for a month. Everything can be set otherwise.
 */
export class NodeConsumer extends NodejsFunction {
  constructor(scope: Construct, id: string, props: NodejsFunctionProps) {
    const format = props.bundling?.format ?? OutputFormat.ESM;
    super(scope, id, {
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.seconds(30),
      loggingFormat: lambda.LoggingFormat.JSON,
      ...props,
      logGroup:
        props.logGroup ?? new logs.LogGroup(scope, `${id}Logs`, { retention: logs.RetentionDays.ONE_MONTH }),
      environment: { NODE_OPTIONS: '--enable-source-maps', ...props.environment },
      bundling: {
        format,
        minify: true,
        keepNames: true,
        sourceMap: true,
        target: 'node22',
        logLevel: LogLevel.WARNING,
        ...(format === OutputFormat.ESM ? { mainFields: ['module', 'main'] } : {}),
        ...props.bundling,
        ...(format === OutputFormat.ESM ? { banner: `${REQUIRE}${props.bundling?.banner ?? ''}` } : {}),
      },
    });
  }
}
