/** An error of the API, with the code that AWS gives it. */
export class SnsError extends Error {
  override readonly name = 'SnsError';
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

export function invalid(message: string): SnsError {
  return new SnsError('InvalidParameter', `Invalid parameter: ${message}`);
}
