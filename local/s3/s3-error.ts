/** An error with S3's own code. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const noSuchBucket = (bucket: string): S3Error =>
  new S3Error(404, 'NoSuchBucket', `The specified bucket does not exist: ${bucket}`);
export const noSuchKey = (key: string): S3Error =>
  new S3Error(404, 'NoSuchKey', `The specified key does not exist: ${key}`);
