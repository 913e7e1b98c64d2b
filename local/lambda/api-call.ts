import type { Exchange } from '../gateway/service';

export type Json = Record<string, unknown>;

export interface Call {
  readonly exchange: Exchange;
  readonly name: string;
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
