import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface StoredObject {
  readonly key: string;
  readonly body: Buffer;
  readonly etag: string;
  readonly modified: number;
  /** Headers that come back with the object: content type, user metadata, checksums. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The objects of all buckets, in memory and, when there is a folder, in files that survive the process. */
export class ObjectStore {
  private readonly buckets = new Map<string, Map<string, StoredObject>>();

  constructor(private readonly folder?: string) {}

  createBucket(name: string): void {
    if (this.buckets.has(name)) return;
    const objects = new Map<string, StoredObject>();
    this.buckets.set(name, objects);
    if (this.folder === undefined) return;
    const place = path.join(this.folder, name);
    mkdirSync(place, { recursive: true });
    for (const file of readdirSync(place).filter((each) => each.endsWith('.json'))) {
      const { body, ...rest } = JSON.parse(readFileSync(path.join(place, file), 'utf8'));
      objects.set(rest.key, { ...rest, body: Buffer.from(body, 'base64') });
    }
  }

  has(bucket: string): boolean {
    return this.buckets.has(bucket);
  }

  put(bucket: string, object: Omit<StoredObject, 'etag'>): StoredObject {
    const stored = { ...object, etag: `"${createHash('md5').update(object.body).digest('hex')}"` };
    if (this.folder !== undefined) {
      const file = this.file(bucket, object.key);
      writeFileSync(`${file}.new`, JSON.stringify({ ...stored, body: stored.body.toString('base64') }));
      renameSync(`${file}.new`, file);
    }
    this.buckets.get(bucket)?.set(object.key, stored);
    return stored;
  }

  get(bucket: string, key: string): StoredObject | undefined {
    return this.buckets.get(bucket)?.get(key);
  }

  delete(bucket: string, key: string): void {
    this.buckets.get(bucket)?.delete(key);
    if (this.folder !== undefined) rmSync(this.file(bucket, key), { force: true });
  }

  /** In the order of S3: by the bytes of the key. */
  list(bucket: string, prefix: string): StoredObject[] {
    return [...(this.buckets.get(bucket)?.values() ?? [])]
      .filter((object) => object.key.startsWith(prefix))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  }

  private file(bucket: string, key: string): string {
    const name = createHash('sha256').update(key).digest('hex');
    return path.join(this.folder ?? '', bucket, `${name}.json`);
  }
}
