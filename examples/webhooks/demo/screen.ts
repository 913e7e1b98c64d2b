import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type Mark = 'good' | 'bad' | 'warn' | 'plain';

const MARKS: Readonly<Record<Mark, { readonly sign: string; readonly style: Style }>> = {
  good: { sign: '✓', style: 'green' },
  bad: { sign: '✗', style: 'red' },
  warn: { sign: '!', style: 'yellow' },
  plain: { sign: '·', style: 'dim' },
};

const BAR_WIDTH = 24;

/**
 * Writes the demo's story: colours and a progress line that moves only on a terminal, plain lines elsewhere
 * (a pipe, CI, or NO_COLOR set).
 */
export class Screen {
  private readonly colours: boolean;
  private readonly moving: boolean;
  private open = false;
  private lastPlainProgress = '';

  constructor(
    private readonly terminal: Terminal,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.moving = terminal.isTTY === true && environment['CI'] === undefined;
    this.colours = this.moving && environment['NO_COLOR'] === undefined;
  }

  act(title: string): void {
    this.closeProgress();
    this.lastPlainProgress = '';
    this.terminal.write(`\n${this.paint(['bold', 'cyan'], title)}\n`);
  }

  line(text: string, mark: Mark = 'plain'): void {
    this.closeProgress();
    const { sign, style } = MARKS[mark];
    this.terminal.write(`  ${this.paint(style, sign)} ${text}\n`);
  }

  /** One line that moves on a terminal; elsewhere a line for each quarter. */
  progress(label: string, done: number, total: number, detail = ''): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    if (this.moving) {
      const filled = Math.round(share * BAR_WIDTH);
      const bar = this.paint('green', '█'.repeat(filled)) + this.paint('dim', '░'.repeat(BAR_WIDTH - filled));
      this.terminal.write(`\r\u001b[2K  ${bar} ${label} ${done}/${total} ${this.paint('dim', detail)}`);
      this.open = true;
      return;
    }
    const line = `  ${label} ${Math.floor(share * 4) * 25} %`;
    if (line !== this.lastPlainProgress)
      this.terminal.write(`${line}${detail === '' ? '' : ` (${detail})`}\n`);
    this.lastPlainProgress = line;
  }

  /** Columns are as wide as their widest cell; the last one is cut to the terminal. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    this.closeProgress();
    const widths = head.map((title, column) =>
      Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
    );
    const width = this.terminal.columns ?? 110;
    const layout = (row: readonly string[]): string =>
      `    ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`
        .trimEnd()
        .slice(0, width);
    this.terminal.write(`${this.paint('bold', layout(head))}\n`);
    for (const row of rows) this.terminal.write(`${layout(row)}\n`);
  }

  verdict(text: string, mark: 'good' | 'bad'): void {
    this.closeProgress();
    this.terminal.write(`\n${this.paint(['bold', mark === 'good' ? 'green' : 'red'] as Style, text)}\n`);
  }

  private closeProgress(): void {
    if (this.open) this.terminal.write('\n');
    this.open = false;
  }

  private paint(style: Style, text: string): string {
    return this.colours ? styleText(style, text) : text;
  }
}
