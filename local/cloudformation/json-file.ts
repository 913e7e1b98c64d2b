import { readFileSync } from 'node:fs';
import { isRecord } from './template';

/** Throws an error that names the file when it is missing or not a JSON object. */
export function readJson(file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(
      `${file} can't be read as JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (!isRecord(value)) throw new Error(`${file} is not a JSON object`);
  return value;
}
