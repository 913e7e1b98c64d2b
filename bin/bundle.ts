import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(__dirname, '..');
const assets = path.join(root, 'assets');

/**
 * Bundles each Lambda entry into `assets/NAME/index.js` and the command line into `assets/cli/redrive.js`.
 * Lambda bundles leave the AWS SDK to the runtime, which provides it; the command line carries its own.
 */
async function bundle(): Promise<void> {
  rmSync(assets, { recursive: true, force: true });
  const entries = readdirSync(path.join(root, 'lambda')).filter((file) => file.endsWith('.ts'));
  await Promise.all(
    entries.map((file) =>
      build({
        entryPoints: [path.join(root, 'lambda', file)],
        outfile: path.join(assets, file.slice(0, -'.ts'.length), 'index.js'),
        bundle: true,
        platform: 'node',
        target: 'node20',
        format: 'cjs',
        minify: true,
        keepNames: true,
        sourcemap: 'inline',
        sourcesContent: false,
        external: ['@aws-sdk/*', '@smithy/*'],
        logLevel: 'warning',
      }),
    ),
  );
  await build({
    entryPoints: [path.join(root, 'bin', 'redrive.ts')],
    outfile: path.join(assets, 'cli', 'redrive.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['aws-cdk-lib', 'constructs'],
    logLevel: 'warning',
  });
}

bundle().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
