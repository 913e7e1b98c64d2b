import type { Exchange } from '../gateway/service';

export type Json = Record<string, unknown>;

export interface Call {
  readonly exchange: Exchange;
  /** The function or mapping in the path. */
  readonly name: string;
  /** What the path names below it, such as an alias. */
  readonly part: string;
  readonly body: Buffer;
  readonly query: URLSearchParams;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal with its HTTP status. */
export class LambdaError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
