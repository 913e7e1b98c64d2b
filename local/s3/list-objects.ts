import { escapeXml } from '../gateway/aws-error';
import type { StoredObject } from './object-store';
import { S3Error } from './s3-error';

const MAXIMUM_KEYS = 1_000;

/** The answer to ListObjectsV2. https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export function listObjects(
  bucket: string,
  query: URLSearchParams,
  objectsWith: (prefix: string) => readonly StoredObject[],
): string {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const limit = Math.min(Number(query.get('max-keys') ?? MAXIMUM_KEYS), MAXIMUM_KEYS);
  if (!Number.isInteger(limit) || limit < 0)
    throw new S3Error(400, 'InvalidArgument', 'max-keys must be a number of 0 or more');
  const encoded = query.get('encoding-type') === 'url';
  const text = (value: string): string =>
    escapeXml(encoded ? encodeURIComponent(value).replace(/%2F/g, '/') : value);
  const token = query.get('continuation-token');
  const after =
    token === null ? (query.get('start-after') ?? '') : Buffer.from(token, 'base64url').toString('utf8');

  const contents: string[] = [];
  const prefixes = new Set<string>();
  let last = '';
  let truncated = false;
  for (const object of objectsWith(prefix)) {
    const cut = delimiter === '' ? -1 : object.key.indexOf(delimiter, prefix.length);
    const entry = cut < 0 ? object.key : object.key.slice(0, cut + delimiter.length);
    if (entry <= after || prefixes.has(entry)) continue;
    if (contents.length + prefixes.size >= limit) {
      truncated = limit > 0;
      break;
    }
    last = entry;
    if (cut < 0) contents.push(contentOf(object, text));
    else prefixes.add(entry);
  }
  const next = truncated
    ? `<NextContinuationToken>${Buffer.from(last).toString('base64url')}</NextContinuationToken>`
    : '';
  return (
    `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
    `<Name>${escapeXml(bucket)}</Name><Prefix>${text(prefix)}</Prefix>` +
    `<KeyCount>${contents.length + prefixes.size}</KeyCount><MaxKeys>${limit}</MaxKeys>` +
    `<IsTruncated>${truncated}</IsTruncated>${encoded ? '<EncodingType>url</EncodingType>' : ''}${next}` +
    `${contents.join('')}${[...prefixes].map((each) => `<CommonPrefixes><Prefix>${text(each)}</Prefix></CommonPrefixes>`).join('')}` +
    '</ListBucketResult>'
  );
}

function contentOf({ key, etag, body, modified }: StoredObject, text: (value: string) => string): string {
  return (
    `<Contents><Key>${text(key)}</Key><LastModified>${new Date(modified).toISOString()}</LastModified>` +
    `<ETag>${escapeXml(etag)}</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
  );
}
