import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^cdk-redrive\/handler\/testing$/,
        replacement: path.resolve(import.meta.dirname, 'lambda/handler/testing.ts'),
      },
      {
        find: /^cdk-redrive\/handler$/,
        replacement: path.resolve(import.meta.dirname, 'lambda/handler/index.ts'),
      },
      { find: /^cdk-redrive$/, replacement: path.resolve(import.meta.dirname, 'lib/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { shuffle: true },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/closing-line-reporter.ts'],
  },
});
