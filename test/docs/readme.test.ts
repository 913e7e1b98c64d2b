import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, expect, it } from 'vitest';
import { Journey } from '../journeys/journey';

const ROOT = path.resolve(__dirname, '../..');
const PAGES = [
  'README.md',
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

function blocks(page: string, language: string): string[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, code = '']) => code,
  );
}

it('compiles every TypeScript block of README and guides', () => {
  const sources = new Map(
    PAGES.flatMap((page) =>
      blocks(page, 'ts').map(
        (code, index) =>
          [path.join(ROOT, 'test/docs', `${page.replace(/\W/g, '-')}-${index}.ts`), code] as const,
      ),
    ),
  );
  expect(sources.size).toBeGreaterThanOrEqual(3);
  const { config } = ts.readConfigFile(path.join(ROOT, 'test/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path.join(ROOT, 'test'));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.getSourceFile = (name, version) => {
    const code = sources.get(name);
    return code === undefined ? getSourceFile(name, version) : ts.createSourceFile(name, code, version);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${path.basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  expect(problems).toEqual([]);
});

it('names only files that exist', () => {
  const links = PAGES.flatMap((page) =>
    [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, link = '']) => path.join(path.dirname(page), link),
    ),
  );
  expect(links.length).toBeGreaterThan(5);
  expect(
    links.filter(
      (link) => !ts.sys.fileExists(path.join(ROOT, link)) && !ts.sys.directoryExists(path.join(ROOT, link)),
    ),
  ).toEqual([]);
});

let journey: Journey | undefined;
afterAll(() => journey?.stop());

it('runs the commands of the README, from the alarm to the balance', async () => {
  journey = await Journey.start();
  journey.send({ sku: 'unknown' });
  await journey.drain();
  await journey.clock.advance(120_000);
  const alarms = journey.events.filter(
    ({ type, detail }) => type === 'cloudwatch.alarm' && detail['to'] === 'ALARM',
  );
  expect(alarms.map(({ detail }) => String(detail['alarmName']))).toEqual([
    expect.stringContaining('Presence'),
  ]);
  journey.unknownSkus.clear();

  const commands = blocks('README.md', 'sh')
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('npx redrive '));
  expect(commands.length).toBe(4);
  const outputs: string[] = [];
  for (const command of commands) outputs.push(await redrive(journey, command));
  expect(outputs[0]).toContain('SKU_UNKNOWN');
  expect(outputs[1]).toContain('1 messages');
  expect(outputs[2]).toContain(
    '1 selected = 1 succeeded + 0 returned + 0 discarded + 0 expired + 0 still held',
  );
  expect(outputs[3]).toContain('completed');
  expect(journey.depths()).toEqual([0, 0, 0]);
  await expect(redrive(journey, commands[2] ?? '')).rejects.toMatchObject({ code: 3 });
});

/** Runs a command of the built command line while time passes in the engine. */
async function redrive({ engine, clock }: Journey, command: string): Promise<string> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .slice(2);
  let running = true;
  const done = promisify(execFile)(
    process.execPath,
    [path.join(ROOT, 'assets/cli/redrive.js'), ...words, '--endpoint', engine.endpoint],
    {
      env: { PATH: process.env['PATH'] },
    },
  ).finally(() => {
    running = false;
  });
  done.catch(() => {});
  while (running) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return (await done).stdout;
}
