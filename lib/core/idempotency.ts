/** One attempt at one operation. */
export interface Claim {
  readonly key: string;
  /** Of the payload; the same key with another payload is a mistake of the producer. */
  readonly fingerprint: string;
  readonly nowMs: number;
  /** Until when nobody else may begin: the end of this invocation, or a hold that the author chose. */
  readonly holdUntilMs: number;
  /** Epoch seconds; after that the operation may be done again. */
  readonly expiresAt: number;
}

export type ClaimAnswer =
  /** `leftover`: an earlier attempt began and nobody knows how it ended. */
  | { readonly kind: 'claimed'; readonly leftover: boolean }
  | { readonly kind: 'completed' }
  | { readonly kind: 'held'; readonly untilMs: number }
  | { readonly kind: 'other-payload' };

/** Where operations are remembered. */
export interface IdempotencyStore {
  claim(claim: Claim): Promise<ClaimAnswer>;
  complete(claim: Claim, result?: string): Promise<void>;
  /** Together with the author's own writes, in one transaction. */
  completeWith(claim: Claim, writes: readonly unknown[]): Promise<void>;
  release(claim: Claim): Promise<void>;
  leaveUncertain(claim: Claim): Promise<void>;
}

const LONGEST_KEY = 512;

/** Key of an operation in the table. Different consumers of one message do different things with it. */
export function operationKey(
  consumerName: string,
  operationId: string,
  digest: (text: string) => string,
): string {
  const key = `${consumerName}#${operationId}`;
  return key.length <= LONGEST_KEY ? key : `${consumerName}#${digest(operationId)}`;
}

/** What an operation id may be: text that says something, or a number that lost no digit. */
export function checkedOperationId(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text === 'undefined' || text === 'null' ? undefined : text;
}
