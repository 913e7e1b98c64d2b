import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { AssetIndex } from './asset-index';
import { ConstructPaths } from './construct-paths';
import { readJson } from './json-file';
import { isRecord, type Template } from './template';

export interface Stack {
  readonly name: string;
  readonly template: Template;
  /** Names of the stacks that the manifest wants deployed first. */
  readonly dependencies: readonly string[];
  /** Absent: the stack can go anywhere. */
  readonly environment?: { readonly account?: string; readonly region?: string };
  readonly paths: ConstructPaths;
}

export interface Assembly {
  readonly stacks: readonly Stack[];
  readonly assets: AssetIndex;
}

/**
 * Reads a cloud assembly (`cdk.out`, stages included) or a single JSON template.
 * Throws when there is nothing to read, or no stack in it.
 */
export function loadAssembly(location: string): Assembly {
  const absolute = path.resolve(location);
  if (!existsSync(absolute)) throw new Error(`there is no cloud assembly or template at ${absolute}`);
  const assets = new AssetIndex();
  const stacks = statSync(absolute).isDirectory()
    ? stacksOf(absolute, assets)
    : [
        {
          name: stackName(absolute),
          template: readJson(absolute),
          dependencies: [],
          paths: ConstructPaths.none,
        },
      ];
  if (stacks.length === 0) throw new Error(`the cloud assembly at ${absolute} has no stack`);
  return { stacks, assets };
}

function stackName(file: string): string {
  return path
    .basename(file)
    .replace(/(\.template)?\.json$/, '')
    .replace(/[^A-Za-z0-9-]/g, '-');
}

function stacksOf(folder: string, assets: AssetIndex): Stack[] {
  const manifest = readJson(path.join(folder, 'manifest.json'));
  const artifacts = isRecord(manifest['artifacts']) ? manifest['artifacts'] : {};
  const nameOf = new Map<string, string>();
  for (const [id, artifact] of Object.entries(artifacts))
    if (isRecord(artifact) && artifact['type'] === 'aws:cloudformation:stack')
      nameOf.set(id, String(propertiesOf(artifact)['stackName'] ?? id));

  return Object.entries(artifacts).flatMap(([id, artifact]): Stack[] => {
    if (!isRecord(artifact)) return [];
    const properties = propertiesOf(artifact);
    switch (artifact['type']) {
      case 'cdk:cloud-assembly':
        return stacksOf(path.join(folder, String(properties['directoryName'])), assets);
      case 'cdk:asset-manifest':
        assets.addManifest(path.join(folder, String(properties['file'])));
        return [];
      case 'aws:cloudformation:stack': {
        const dependencies = Array.isArray(artifact['dependencies']) ? artifact['dependencies'] : [];
        return [
          {
            name: nameOf.get(id) ?? id,
            template: readJson(path.join(folder, String(properties['templateFile']))),
            dependencies: dependencies.flatMap((other) => nameOf.get(String(other)) ?? []),
            environment: environmentOf(artifact['environment']),
            paths: ConstructPaths.of(folder, artifact),
          },
        ];
      }
      default:
        return [];
    }
  });
}

function propertiesOf(artifact: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRecord(artifact['properties']) ? artifact['properties'] : {};
}

/** `aws://ACCOUNT/REGION`, where CDK writes `unknown-account` and `unknown-region` for either that is open. */
function environmentOf(text: unknown): NonNullable<Stack['environment']> {
  const [account = '', region = ''] = typeof text === 'string' ? text.replace('aws://', '').split('/') : [];
  return {
    ...(/^\d{12}$/.test(account) ? { account } : {}),
    ...(region !== '' && region !== 'unknown-region' ? { region } : {}),
  };
}
