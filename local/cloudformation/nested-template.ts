import type { Assembly } from './assembly';
import { readJson } from './json-file';
import type { Template } from './template';

/** `https://s3.REGION.amazonaws.com/BUCKET/KEY` and `https://BUCKET.s3.REGION.amazonaws.com/KEY`. Throws when there is no such asset. */
export function nestedTemplate(
  url: unknown,
  assembly: Assembly,
  pseudo: Readonly<Record<string, string>>,
): Template {
  const { hostname, pathname } = new URL(String(url));
  const [first = '', ...rest] = decodeURIComponent(pathname).slice(1).split('/');
  const bucket = /^(.+)\.s3[.-]/.exec(hostname)?.[1];
  const file =
    bucket === undefined
      ? assembly.assets.find(first, rest.join('/'), pseudo)
      : assembly.assets.find(bucket, [first, ...rest].join('/'), pseudo);
  return readJson(file);
}
