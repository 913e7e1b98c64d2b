import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startLocal } from '../../local/start-local';
import { runBattery, SUITES } from './battery';

/** `npm run conformance [-- --endpoint URL --suite sqs|dynamodb]`: without an endpoint, on the embedded engine. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { endpoint: { type: 'string' }, suite: { type: 'string' } } });
  const names =
    values.suite === undefined
      ? (Object.keys(SUITES) as (keyof typeof SUITES)[])
      : [values.suite as keyof typeof SUITES];
  if (names.some((name) => !(name in SUITES))) {
    console.error(`given: ${values.suite} · allowed: ${Object.keys(SUITES).join(', ')}`);
    return 2;
  }
  const checks = names.flatMap((name) => [...SUITES[name]]);
  const results =
    values.endpoint === undefined
      ? await onOwnEngine((endpoint) => runBattery(endpoint, checks))
      : await runBattery(values.endpoint, checks);
  const differences = results.filter(({ difference }) => difference !== undefined);
  for (const { check, difference } of differences)
    console.log(`differs: ${check.name}\n         ${difference}\n         ${check.source}`);
  console.log(`${results.length - differences.length} passed, ${differences.length} failed`);
  return differences.length === 0 ? 0 : 1;
}

async function onOwnEngine<T>(run: (endpoint: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-'));
  const assembly = path.join(folder, 'template.json');
  writeFileSync(assembly, JSON.stringify({ Resources: {} }));
  const engine = await startLocal({ assembly });
  try {
    return await run(engine.endpoint);
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
