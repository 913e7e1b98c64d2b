import type { ParseArgsConfig } from 'node:util';
import type { ClientSettings } from '../operator';

/** 0 done, 1 error, 2 usage, 3 nothing to do, 4 stopped by a rule, 5 refused by preflight, 6 another run is active. */
export const EXIT = { done: 0, error: 1, usage: 2, nothing: 3, stopped: 4, refused: 5, active: 6 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface Invocation {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | string[] | undefined>>;
  readonly settings: ClientSettings;
  /** Who is asking, for the audit trail. */
  readonly operator: string;
  readonly json: boolean;
  print(text: string): void;
  /** Asks yes or no; without a terminal the answer is no. */
  confirm(question: string): Promise<boolean>;
}

export interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  run(invocation: Invocation): Promise<ExitCode>;
}

/** A wrong call of the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function required(invocation: Invocation, index: number, name: string): string {
  const value = invocation.positionals[index];
  if (value === undefined) throw new UsageError(`${name} is missing`);
  return value;
}

export function text(invocation: Invocation, name: string): string | undefined {
  const value = invocation.values[name];
  return typeof value === 'string' ? value : undefined;
}

export function numeric(invocation: Invocation, name: string): number | undefined {
  const value = text(invocation, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isFinite(number)) throw new UsageError(`--${name} must be a number, and is '${value}'`);
  return number;
}

export function list(invocation: Invocation, name: string): readonly string[] | undefined {
  const value = invocation.values[name];
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}
