import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Scopes that the Lambda runtime brings along. */
const PROVIDED = ['@aws-sdk', '@smithy', '@aws', '@aws-crypto'];

/**
 * Copies of functions' code, outside of any package: a `package.json` further up would decide whether a bundle is an
 * ES module. What the real runtime provides is linked in, unless the code brings its own.
 */
export class CodeFolders {
  private readonly root = mkdtempSync(path.join(tmpdir(), 'local-lambda-'));
  private count = 0;

  constructor(private readonly sdkFolder: string) {
    // What is above the temporary folder has no say.
    writeFileSync(path.join(this.root, 'package.json'), '{}');
  }

  newFolder(): string {
    const folder = path.join(this.root, String(this.count++));
    mkdirSync(folder);
    return folder;
  }

  copyOf(codeFolder: string): string {
    const folder = this.newFolder();
    cpSync(codeFolder, folder, { recursive: true });
    this.provide(path.join(folder, 'node_modules'));
    return folder;
  }

  removeAll(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private provide(modules: string): void {
    mkdirSync(modules, { recursive: true });
    for (const scope of PROVIDED) {
      const from = path.join(this.sdkFolder, scope);
      const to = path.join(modules, scope);
      if (!existsSync(from)) continue;
      if (!existsSync(to)) symlinkSync(from, to, 'dir');
      else
        for (const name of readdirSync(from))
          if (!existsSync(path.join(to, name)))
            symlinkSync(path.join(from, name), path.join(to, name), 'dir');
    }
  }
}
