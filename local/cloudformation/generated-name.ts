import { createHash } from 'node:crypto';

const PART = 24;

/** `STACK-LOGICALID-xxxxxxxx`, as CloudFormation names what has no name; at most 58 characters, which every service takes. */
export function generatedName(stackName: string, logicalId: string): string {
  const suffix = createHash('sha256')
    .update(`${stackName}/${logicalId}`)
    .digest('hex')
    .slice(0, 8)
    .toUpperCase();
  return `${stackName.slice(0, PART)}-${logicalId.slice(0, PART)}-${suffix}`;
}
