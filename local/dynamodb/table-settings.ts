import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface TableSettings {
  readonly ttlAttribute?: string;
  readonly pointInTimeRecovery: boolean;
  readonly deletionProtection: boolean;
}

const NONE: TableSettings = { pointInTimeRecovery: false, deletionProtection: false };

/** What DynamoDB keeps of a table and dynalite does not. Durable when given a folder. */
export class TableSettingsStore {
  private readonly settings = new Map<string, TableSettings>();
  private readonly file: string | undefined;

  constructor(folder?: string) {
    if (folder === undefined) return;
    this.file = path.join(folder, 'table-settings.json');
    try {
      const stored = JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, TableSettings>;
      for (const [table, settings] of Object.entries(stored)) this.settings.set(table, settings);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  of(table: string): TableSettings {
    return this.settings.get(table) ?? NONE;
  }

  entries(): Iterable<[string, TableSettings]> {
    return this.settings.entries();
  }

  set(table: string, change: Partial<TableSettings>): void {
    this.settings.set(table, { ...this.of(table), ...change });
    this.save();
  }

  withoutTtl(table: string): void {
    const { ttlAttribute: _, ...rest } = this.of(table);
    this.settings.set(table, rest);
    this.save();
  }

  forget(table: string): void {
    this.settings.delete(table);
    this.save();
  }

  private save(): void {
    if (this.file === undefined) return;
    const temporary = `${this.file}.new`;
    writeFileSync(temporary, JSON.stringify(Object.fromEntries(this.settings)));
    renameSync(temporary, this.file);
  }
}
