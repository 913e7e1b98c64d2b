import { StatesApiError } from './states-error';

const DEFAULT_PAGE = 100;
const MAXIMUM_PAGE = 1_000;

export interface Page {
  readonly from: number;
  readonly to: number;
  /** To be spread into the answer. */
  readonly token: { readonly nextToken?: string };
}

/** Which part of `total` items a request asks for: maxResults is 0 (100) to 1,000. */
export function pageOf(total: number, given: Readonly<Record<string, unknown>>): Page {
  const { nextToken: token, maxResults: wanted = 0 } = given;
  const from = token === undefined ? 0 : Number(Buffer.from(String(token), 'base64').toString());
  if (!Number.isInteger(from) || from < 0 || (token !== undefined && from === 0))
    throw new StatesApiError('InvalidToken', `Invalid Token: '${token}'`);
  if (!Number.isInteger(wanted) || (wanted as number) < 0 || (wanted as number) > MAXIMUM_PAGE)
    throw new StatesApiError('ValidationException', `maxResults must be from 0 to ${MAXIMUM_PAGE}`);
  const to = from + ((wanted as number) || DEFAULT_PAGE);
  return { from, to, token: to < total ? { nextToken: Buffer.from(String(to)).toString('base64') } : {} };
}
