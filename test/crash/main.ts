import { countCalls, crashRedrive } from './redrive-crashes';

/** `npm run crash -- redrive`: every crash point of one run, before and after every AWS call, one at a time; a number behind it tries every nth. */
async function main(suite: string | undefined, step: number): Promise<number> {
  if (suite !== 'redrive') {
    console.error(`given: ${suite ?? 'nothing'} · allowed: redrive`);
    return 2;
  }
  const calls = await countCalls();
  let passed = 0;
  let failed = 0;
  for (let call = 0; call < calls; call += step)
    for (const moment of ['before', 'after'] as const) {
      const { name, problems } = await crashRedrive({ call, moment });
      if (problems.length === 0) passed++;
      else failed++;
      console.log(
        `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${call} ${name}${problems.map((problem) => `\n       ${problem}`).join('')}`,
      );
    }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
main(process.argv[2], Number(process.argv[3] ?? 1)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
