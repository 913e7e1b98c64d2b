import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles } from './source-files';

/** One word per concept: what must not be said, and what is said instead. */
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\breprocess(ed|ing|es)?\b/i, 'redrive'],
  [/\bre-?queue[ds]?\b|\bre-?queuing\b/i, 'redrive, or put back'],
  [/\bmain queue\b/i, 'source queue'],
  [/\bdead letter queue\b/i, 'dead-letter queue'],
  [
    /(?<!-)\breplay(ed|ing)?\b(?![- ]?(queue|arn|url|mapping|s?\b\W*queue))/i,
    'redrive (only the replay queue is called so)',
  ],
  [/\bvisibility time-out\b/i, 'visibility timeout'],
];

/** Names of other products, and of AWS's own, keep their words. */
const EXCEPT = /replay-aws-dlq|replay-sqs-dlq|replayQueue|replayArn|replayUrl|ReplayQueue|isReplay|REPLAY/;

function documents(folder: string): { path: string; text: string }[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return documents(name);
    return name.endsWith('.md') ? [{ path: name, text: readFileSync(path.join(ROOT, name), 'utf8') }] : [];
  });
}

describe('glossary', () => {
  it.each(FORBIDDEN)('nobody says %s', (word, instead) => {
    const texts = [
      ...sourceFiles(['bin', 'console', 'lib', 'lambda', 'examples']),
      ...documents('docs'),
      { path: 'README.md', text: readFileSync(path.join(ROOT, 'README.md'), 'utf8') },
    ];
    expect(texts.length).toBeGreaterThan(10);
    const found = texts.flatMap((file) =>
      file.text
        .split('\n')
        .map((line, index) => ({ line, number: index + 1 }))
        .filter(({ line }) => word.test(line) && !EXCEPT.test(line))
        .map(({ line, number }) => `${file.path}:${number} (say: ${instead}): ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
});
