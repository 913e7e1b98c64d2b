import { createHash } from 'node:crypto';
import type { Identity } from './service';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

const SECRET = 'not-a-secret';

/**
 * Who is behind an access key id. Each role has one key, the same in every run; every other key belongs to the
 * person at the keyboard. The keys do not have the form of real ones, so that no account ever takes them.
 */
export class Identities {
  private readonly byKey = new Map<string, Identity>();

  credentialsFor(roleArn: string): Credentials {
    const accessKeyId = `LOCALROLE${createHash('sha256').update(roleArn).digest('hex').slice(0, 11).toUpperCase()}`;
    if (!this.byKey.has(accessKeyId)) this.byKey.set(accessKeyId, { accessKeyId, roleArn });
    return { accessKeyId, secretAccessKey: SECRET, sessionToken: `session-of-${accessKeyId}` };
  }

  identityOf(accessKeyId: string): Identity {
    return this.byKey.get(accessKeyId) ?? { accessKeyId };
  }
}

/** For a client that the person at the keyboard uses. */
export const OPERATOR_CREDENTIALS: Credentials = {
  accessKeyId: 'LOCALOPERATOR',
  secretAccessKey: SECRET,
  sessionToken: 'session-of-LOCALOPERATOR',
};
