import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files';

const files = sourceFiles();
const CAP = 300;
const TEST_CAP = 400;
const MEDIAN = 120;
const ENTRY_CAP = 60;

describe('file shape', () => {
  it('keeps every file under its cap', () => {
    const over = files.filter(({ path, lines }) => lines > (path.startsWith('test/') ? TEST_CAP : CAP));
    expect(over.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  it('keeps the median of the product small', () => {
    const lines = files.filter(({ path }) => !path.startsWith('test/')).map((file) => file.lines);
    const median = lines.sort((a, b) => a - b)[Math.floor(lines.length / 2)];
    expect(median).toBeLessThanOrEqual(MEDIAN);
  });

  it('keeps Lambda entries thin', () => {
    const entries = files.filter(({ path }) => /^lambda\/[^/]+\.ts$/.test(path));
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter(({ lines }) => lines > ENTRY_CAP).map(({ path }) => path)).toEqual([]);
  });

  it('names files in kebab case and none after a drawer', () => {
    const names = files.map(({ path }) => path);
    const odd = names.filter(
      (path) => !/^[a-z0-9-]+(\.(test|test-d|config))?\.[a-z]+$/.test(path.split('/').at(-1) ?? ''),
    );
    expect(odd).toEqual([]);
    const drawers = names.filter((path) =>
      /(^|[/-])(utils?|helpers?|common|manager|misc)([/.-]|$)/.test(path),
    );
    expect(drawers).toEqual([]);
  });

  it('keeps the clock out of core and the engine', () => {
    const timeless = files.filter(
      ({ path }) => /^lib\/core\//.test(path) || (/^local\//.test(path) && !/^local\/clock\//.test(path)),
    );
    expect(timeless.length).toBeGreaterThan(0);
    const ALLOWED = /real time:/;
    const found = timeless.flatMap(({ path, text }) =>
      text
        .split('\n')
        .map((line, index, all) => ({ line, previous: all[index - 1] ?? '', number: index + 1 }))
        .filter(
          ({ line, previous }) =>
            /\b(Date\.now\(\)|new Date\(\)|Math\.random\(\)|setTimeout\(|setInterval\()/.test(line) &&
            !/^\s*(\*|\/\/)/.test(line) &&
            !ALLOWED.test(line) &&
            !ALLOWED.test(previous),
        )
        .map(({ line, number }) => `${path}:${number}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
});
