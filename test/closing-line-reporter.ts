import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed` as the very last line; a file that could not be loaded counts as a failure. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests('failed')].length === 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') failed += 1;
      }
    }
    process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
