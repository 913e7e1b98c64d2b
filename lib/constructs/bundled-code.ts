import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';

/** The bundle of one of this package's own functions; it is made before packing and lies in `assets/`. */
export function bundledCode(name: string): Code {
  const folder = path.join(packageRoot(__dirname), 'assets', name);
  if (!existsSync(path.join(folder, 'index.js')))
    throw new Error(
      `BUNDLE_MISSING: ${folder} does not exist · next: run \`npm run bundle\` in a checkout of cdk-redrive`,
    );
  return Code.fromAsset(folder);
}

function packageRoot(from: string): string {
  const manifest = path.join(from, 'package.json');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'cdk-redrive') return from;
  return packageRoot(path.dirname(from));
}
