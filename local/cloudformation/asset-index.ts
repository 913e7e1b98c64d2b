import path from 'node:path';
import { readJson } from './json-file';
import { isRecord } from './template';

interface Asset {
  readonly bucket: string;
  readonly key: string;
  readonly path: string;
}

/** Where the files are that a template names by bucket and key, from the `*.assets.json` files of a cloud assembly. */
export class AssetIndex {
  private readonly assets: Asset[] = [];

  addManifest(file: string): void {
    const manifest = readJson(file);
    const files = isRecord(manifest['files']) ? manifest['files'] : {};
    for (const entry of Object.values(files)) {
      if (!isRecord(entry) || !isRecord(entry['source']) || !isRecord(entry['destinations'])) continue;
      const source = entry['source']['path'];
      if (typeof source !== 'string') continue;
      for (const destination of Object.values(entry['destinations'])) {
        if (!isRecord(destination)) continue;
        this.assets.push({
          bucket: String(destination['bucketName']),
          key: String(destination['objectKey']),
          path: path.resolve(path.dirname(file), source),
        });
      }
    }
  }

  /**
   * The absolute path of an asset. The key alone decides when it has one source only: keys are content hashes, and
   * an assembly for another account or region has other bucket names. Throws when there is no such asset.
   */
  find(bucket: string, key: string, pseudo: Readonly<Record<string, string>>): string {
    const sameKey = this.assets.filter((asset) => asset.key === key);
    const exact = sameKey.find((asset) => withPseudo(asset.bucket, pseudo) === bucket);
    const paths = new Set(sameKey.map((asset) => asset.path));
    const found = exact?.path ?? (paths.size === 1 ? sameKey[0]?.path : undefined);
    if (found === undefined)
      throw new Error(`the cloud assembly has no asset '${key}' for the bucket '${bucket}'`);
    return found;
  }
}

function withPseudo(text: string, pseudo: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(AWS::[A-Za-z]+)\}/g, (whole, name: string) => pseudo[name] ?? whole);
}
