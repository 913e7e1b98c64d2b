import { suite as engine } from './engine';
import { type Figure, figureOf, type Measured } from './figure';

/** A suite measures ours and the peer in turns, several rounds, and answers every round's value. */
export type Suite = (say: (progress: string) => void) => Promise<readonly Measured[]>;

const SUITES: Readonly<Record<string, Suite>> = { engine };

/** `npm run bench -- SUITE`: a table for people, then one JSON line a figure; exit 1 only when something could not be measured. */
async function main(name: string | undefined): Promise<number> {
  const suite = name === undefined ? undefined : SUITES[name];
  if (suite === undefined) {
    console.error(`given: ${name ?? 'nothing'} · allowed: ${Object.keys(SUITES).join(', ')}`);
    return 2;
  }
  const figures = (await suite((progress) => console.error(progress))).map(figureOf);
  console.log(table(figures));
  for (const figure of figures) console.log(JSON.stringify(figure));
  return 0;
}

function table(figures: readonly Figure[]): string {
  const head = ['figure', 'ours', 'peer', 'unit', 'ratio', 'goal', ''];
  const rows = figures.map(({ figure, ours, peer, unit, ratio, goal, met }) =>
    [figure, ours, peer, unit, ratio, goal, met ? 'met' : 'MISSED'].map(String),
  );
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

main(process.argv[2]).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
