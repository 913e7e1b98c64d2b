import type { Readable } from 'node:stream';

/** Every line of a stream; what is left at its end counts as one. A line may hold carriage returns, as Lambda's do. */
export function eachLine(stream: Readable, hear: (line: string) => void, end: () => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
  stream.once('close', () => {
    if (rest !== '') hear(rest);
    rest = '';
    end();
  });
}
