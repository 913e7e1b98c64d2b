import type { Screen } from '../examples/webhooks/demo/screen';
import { startLocal } from '../local/start-local';

export interface RunAppOptions {
  /** A `cdk.out` folder or one template. */
  readonly assembly: string;
  readonly port?: number;
  /** Where queues and tables outlive the process. */
  readonly dataFolder?: string;
  /** `NAME=VALUE` each. */
  readonly parameters: readonly string[];
}

/** Runs any synthesized app of the supported types in real time, until the person presses Ctrl-C. */
export async function runApp(
  { assembly, port, dataFolder, parameters }: RunAppOptions,
  screen: Screen,
): Promise<void> {
  screen.act(`Start ${assembly} on this machine`);
  const engine = await startLocal({
    assembly,
    parameters: Object.fromEntries(parameters.map((parameter) => parameter.split(/=(.*)/s).slice(0, 2))),
    ...(port === undefined ? {} : { port }),
    ...(dataFolder === undefined ? {} : { dataFolder }),
    onEvent: ({ type, detail }) => {
      if (type === 'lambda.log') screen.line(String(detail['line']));
      if (type === 'iam.denied') screen.line(`denied: ${String(detail['reason'])}`, 'bad');
      if (type === 'sqs.dead-lettered')
        screen.line(`dead-lettered: ${String(detail['messageId'])} from ${String(detail['queue'])}`, 'warn');
      if (type === 'cloudwatch.alarm')
        screen.line(
          `alarm ${String(detail['alarmName'])}: ${String(detail['from'])} to ${String(detail['to'])}`,
          'warn',
        );
    },
  });
  screen.line(`${engine.resources.length} resources at ${engine.endpoint}`, 'good');
  for (const { stack, logicalId, type, ref } of engine.resources)
    if (
      [
        'AWS::SQS::Queue',
        'AWS::Lambda::Function',
        'AWS::DynamoDB::Table',
        'AWS::StepFunctions::StateMachine',
      ].includes(type)
    )
      screen.line(`${type.split('::').at(-1)} ${stack}/${logicalId}: ${ref}`);
  if (engine.notEmulated.length > 0) {
    screen.act('Known, and not emulated');
    for (const finding of engine.notEmulated) screen.line(Object.values(finding).join(' · '));
  }
  screen.act('Point any SDK or the AWS CLI at it. Ctrl-C ends it');
  screen.line(
    `export AWS_ENDPOINT_URL=${engine.endpoint} AWS_REGION=${engine.region} AWS_ACCESS_KEY_ID=LOCALOPERATOR AWS_SECRET_ACCESS_KEY=none`,
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  const unused = engine.unusedGrants();
  if (unused.length > 0) {
    screen.act('Granted and never used in this run');
    for (const grant of unused) screen.line(Object.values(grant).map(String).join(' · '));
  }
  await engine.stop();
}
