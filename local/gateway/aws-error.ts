import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface AwsError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Answers in the protocol that the request speaks: XML for query and S3, JSON for the others. */
export function answerWithError(
  request: IncomingMessage,
  response: ServerResponse,
  error: AwsError,
  signingName?: string,
): void {
  const requestId = randomUUID();
  const xml = signingName === 's3' || /x-www-form-urlencoded/.test(request.headers['content-type'] ?? '');
  const fault = error.status < 500 ? 'Sender' : 'Receiver';
  const detail = `<Code>${error.code}</Code><Message>${escapeXml(error.message)}</Message>`;
  const body = !xml
    ? JSON.stringify({ __type: error.code, message: error.message })
    : signingName === 's3'
      ? `<?xml version="1.0" encoding="UTF-8"?><Error>${detail}<RequestId>${requestId}</RequestId></Error>`
      : `<ErrorResponse><Error><Type>${fault}</Type>${detail}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`;
  response.writeHead(error.status, {
    'content-type': xml ? 'text/xml' : 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': requestId,
    'x-amzn-errortype': error.code,
  });
  response.end(body);
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
