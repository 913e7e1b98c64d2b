/**
 * Takes an `aws-chunked` body apart: `SIZE[;chunk-signature=…]\r\n` before every chunk, trailing headers after the last.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 * Answers undefined when the body is not of that form.
 */
export function unchunked(
  body: Buffer,
): { readonly content: Buffer; readonly trailers: Readonly<Record<string, string>> } | undefined {
  const chunks: Buffer[] = [];
  let position = 0;
  for (;;) {
    const end = body.indexOf('\r\n', position);
    if (end < 0) return undefined;
    const size = Number.parseInt(body.toString('latin1', position, end), 16);
    if (!Number.isInteger(size) || size < 0 || end + 2 + size > body.length) return undefined;
    position = end + 2;
    if (size === 0) break;
    chunks.push(body.subarray(position, position + size));
    position += size + 2;
  }
  const lines = body
    .toString('utf8', position)
    .split('\r\n')
    .filter((line) => line.includes(':'));
  const trailers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { content: Buffer.concat(chunks), trailers: Object.fromEntries(trailers) };
}
