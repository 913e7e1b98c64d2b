import { parseArgs } from 'node:util';
import { runDemo } from '../examples/webhooks/demo/run-demo';
import { Screen } from '../examples/webhooks/demo/screen';
import { FAULTS, type Fault } from '../examples/webhooks/demo/stage';
import { linger } from './linger';
import { runApp } from './run-app';

// The functions run on newer Node versions when they are deployed; here the notice would only stand between the lines.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean' },
    fault: { type: 'string' },
    port: { type: 'string' },
    app: { type: 'string' },
    data: { type: 'string' },
    parameter: { type: 'string', multiple: true },
  },
});

async function main(): Promise<void> {
  const { fault, keep, port, app, data, parameter } = values;
  if (fault !== undefined && !(fault in FAULTS)) {
    console.error(`FAULT_UNKNOWN: given: ${fault} · allowed: ${Object.keys(FAULTS).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  const screen = new Screen(process.stdout, process.env);
  if (app !== undefined) {
    const options = {
      ...(port === undefined ? {} : { port: Number(port) }),
      ...(data === undefined ? {} : { dataFolder: data }),
    };
    await runApp({ assembly: app, parameters: parameter ?? [], ...options }, screen);
    return;
  }
  const balance = await runDemo({
    screen,
    ...(fault === undefined ? {} : { fault: fault as Fault }),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(keep === true ? { linger: (stage) => linger(stage, screen) } : {}),
  });
  if (!balance.holds) process.exitCode = 1;
}

main().catch((error: Error) => {
  console.error(values.app === undefined ? error : error.message);
  process.exitCode = 1;
});
