import { existsSync } from 'node:fs';
import path from 'node:path';
import { readJson } from './json-file';
import { isRecord } from './template';

interface Entry {
  readonly logicalId: string;
  readonly path: string;
}

/** Where in the construct tree a resource was defined, from what CDK writes beside the template. */
export class ConstructPaths {
  private constructor(
    private readonly entries: readonly Entry[],
    private readonly prefix: string,
  ) {}

  static readonly none = new ConstructPaths([], '');

  static of(folder: string, artifact: Readonly<Record<string, unknown>>): ConstructPaths {
    const file = artifact['additionalMetadataFile'];
    const beside = typeof file === 'string' ? path.join(folder, file) : undefined;
    const metadata = {
      ...(beside !== undefined && existsSync(beside) ? readJson(beside) : {}),
      ...(isRecord(artifact['metadata']) ? artifact['metadata'] : {}),
    };
    const entries = Object.entries(metadata).flatMap(([construct, lines]) =>
      (Array.isArray(lines) ? lines : [])
        .filter((line) => isRecord(line) && line['type'] === 'aws:cdk:logicalId')
        .map((line) => ({ logicalId: String(line.data), path: construct.replace(/^\//, '') })),
    );
    return new ConstructPaths(entries, '');
  }

  /**
   * A nested stack repeats logical ids of its parent. Since an id is made of the path below its stack, the
   * shortest path is the one in the stack itself.
   */
  find(logicalId: string): string | undefined {
    return this.entries
      .filter((entry) => entry.logicalId === logicalId && entry.path.startsWith(this.prefix))
      .map((entry) => entry.path)
      .sort((a, b) => a.length - b.length)[0];
  }

  /** Those of a nested stack: CDK puts its resource at `PARENT/NAME.NestedStack/NAME.NestedStackResource`. */
  nested(logicalId: string): ConstructPaths {
    const own = this.find(logicalId);
    const end = own?.indexOf('.NestedStack/') ?? -1;
    return end < 0 ? ConstructPaths.none : new ConstructPaths(this.entries, `${own?.slice(0, end)}/`);
  }
}
