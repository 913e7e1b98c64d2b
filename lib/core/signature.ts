import { redact } from './redaction';

/** Grows when the normalisation changes, so that old and new signatures are never mixed up. */
const VERSION = 'v1';

/** What makes two failures the same. */
export interface SignatureParts {
  readonly failureClass: string;
  readonly code: string;
  readonly reason: string;
  /** Of the thrown error; the first frame of the user's own code counts. */
  readonly stack?: string;
}

/** A stable fingerprint of the cause: the same over messages, attempts and releases. */
export function failureSignature({ failureClass, code, reason, stack }: SignatureParts): string {
  return `${VERSION}-${fnv64(`${failureClass}|${code}|${normalised(reason)}|${ownFrame(stack)}`)}`;
}

/** The reason without what differs from message to message. */
export function normalised(reason: string): string {
  return redact(reason)
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '#')
    .replace(/\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?\b/g, '#')
    .replace(/\[(?:text|number|email|card|phone|address|iban|token|redacted)\]/g, '#')
    .replace(/\b0x[0-9a-f]+\b/gi, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '#')
    .replace(/\b[A-Za-z]+[_-]\w*\d\w*\b/g, '#')
    .replace(/\d+(?:\.\d+)?/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Name of the first function that is neither Node's nor a library's; lines and columns change with each release. */
function ownFrame(stack: string | undefined): string {
  for (const line of stack?.split('\n').slice(1) ?? []) {
    if (/node:|node_modules|<anonymous>$|\(internal\//.test(line)) continue;
    const [, name] = /^\s*at (?:async |new )*([\w$.<>#]+)(?: \[as [\w$]+\])? \(/.exec(line) ?? [];
    if (name !== undefined) return name.replace(/^Object\.|^Module\./, '');
  }
  return '';
}

/** FNV-1a over 64 bits, as 13 letters and digits. */
function fnv64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36).padStart(13, '0');
}
