#!/usr/bin/env node
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type Command, EXIT, type ExitCode, UsageError } from './commands/command';
import { approve, cancel, pause, rate, report, resume, runs } from './commands/control';
import { groups } from './commands/groups';
import { plan } from './commands/plan';
import { queues } from './commands/queues';
import { show } from './commands/show';
import { discard, start } from './commands/start';
import { watch } from './commands/watch';
import type { ClientSettings } from './operator';

const COMMANDS: Readonly<Record<string, Command>> = {
  ...{
    queues,
    groups,
    show,
    plan,
    start,
    watch,
    pause,
    resume,
    cancel,
    rate,
    discard,
    approve,
    runs,
    report,
  },
};

const GLOBAL = {
  json: { type: 'boolean' },
  endpoint: { type: 'string' },
  operator: { type: 'string' },
  help: { type: 'boolean' },
} as const;

async function main(argv: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = argv;
  const command = COMMANDS[name ?? ''];
  if (command === undefined) {
    console.log(helpText());
    return name === undefined || name === '--help' ? EXIT.done : EXIT.usage;
  }
  const { values, positionals } = parseArgs({
    args: rest,
    options: { ...GLOBAL, ...command.options },
    allowPositionals: true,
  });
  if (values['help'] === true) {
    console.log(`${command.usage}\n${command.summary}`);
    return EXIT.done;
  }
  return command.run({
    positionals,
    values: values as Record<string, string | boolean | string[] | undefined>,
    settings: settingsOf(values['endpoint'] as string | undefined),
    operator:
      (values['operator'] as string | undefined) ?? process.env['REDRIVE_OPERATOR'] ?? userInfo().username,
    json: values['json'] === true,
    print: (text) => console.log(text),
    confirm,
  });
}

/** An endpoint on this machine gets credentials that no account takes. */
function settingsOf(endpoint: string | undefined): ClientSettings {
  const given = endpoint ?? process.env['AWS_ENDPOINT_URL'];
  if (given === undefined) return {};
  const local = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/.test(given);
  return {
    endpoint: given,
    region: process.env['AWS_REGION'] ?? 'eu-west-1',
    ...(local ? { credentials: { accessKeyId: 'LOCALOPERATOR', secretAccessKey: 'none' } } : {}),
  };
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}

function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    'redrive: understand dead letters and bring them back',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '  --json for machines, --endpoint URL for an engine on this machine, --operator NAME for the audit trail',
    '  exit codes: 0 done, 1 error, 2 usage, 3 nothing to do, 4 stopped by a rule, 5 refused by preflight, 6 another run is active',
  ].join('\n');
}

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error & { code?: string }) => {
    const usage = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS') === true;
    console.error(
      usage ? `${error.message}\n${COMMANDS[process.argv[2] ?? '']?.usage ?? ''}` : error.message,
    );
    process.exitCode = usage || error.code === 'PLAN_INVALID' ? EXIT.usage : EXIT.error;
  },
);
