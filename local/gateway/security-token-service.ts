import { randomUUID } from 'node:crypto';
import { type AwsError, answerWithError, escapeXml } from './aws-error';
import type { Identities } from './identities';
import { bodyOf } from './request-body';
import type { Environment, Exchange, Identity, LocalService } from './service';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const DEFAULT_SECONDS = 3_600;

/** STS as far as a program asks who it is, or takes a role on: GetCallerIdentity and AssumeRole. */
export class SecurityTokenService implements LocalService {
  readonly signingName = 'sts';
  readonly providers = [];

  constructor(
    private readonly environment: Environment,
    private readonly identities: Identities,
    /** Whether there is such a role. */
    private readonly hasRole: (roleArn: string) => boolean,
  ) {}

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const body = await bodyOf(request);
    const parameters = new URLSearchParams(
      body.length > 0 ? body.toString('utf8') : request.url?.split('?')[1],
    );
    const action = parameters.get('Action') ?? '';
    const result =
      action === 'GetCallerIdentity'
        ? this.callerIdentity(identity)
        : action === 'AssumeRole'
          ? this.assumeRole(identity, parameters)
          : refusal('InvalidAction', `The local engine does not emulate the STS action '${action}'.`);
    if (typeof result !== 'string') return answerWithError(request, response, result);
    const xml = `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${result}</${action}Result><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${action}Response>`;
    response.writeHead(200, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(xml) });
    response.end(xml);
  }

  private callerIdentity({ accessKeyId, roleArn }: Identity): string {
    const { account } = this.environment;
    const arn =
      roleArn === undefined ? `arn:aws:iam::${account}:user/operator` : sessionArn(roleArn, 'local');
    return `<Arn>${escapeXml(arn)}</Arn><UserId>${escapeXml(accessKeyId)}</UserId><Account>${account}</Account>`;
  }

  private assumeRole(identity: Identity, parameters: URLSearchParams): string | AwsError {
    const roleArn = parameters.get('RoleArn') ?? '';
    const session = parameters.get('RoleSessionName') ?? '';
    if (session === '') return refusal('ValidationError', 'RoleSessionName is required.');
    const denied = this.environment.authorize({ identity, action: 'sts:AssumeRole', resource: roleArn });
    if (denied !== undefined || !this.hasRole(roleArn))
      return refusal('AccessDenied', denied ?? `There is no role ${roleArn} in the deployed stacks.`, 403);
    const credentials = this.identities.credentialsFor(roleArn);
    const seconds = Number(parameters.get('DurationSeconds') ?? DEFAULT_SECONDS);
    const expiration = new Date(this.environment.clock.now() + seconds * 1_000).toISOString();
    return (
      `<Credentials><AccessKeyId>${credentials.accessKeyId}</AccessKeyId>` +
      `<SecretAccessKey>${credentials.secretAccessKey}</SecretAccessKey>` +
      `<SessionToken>${credentials.sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials>` +
      `<AssumedRoleUser><AssumedRoleId>${credentials.accessKeyId}:${escapeXml(session)}</AssumedRoleId>` +
      `<Arn>${escapeXml(sessionArn(roleArn, session))}</Arn></AssumedRoleUser>`
    );
  }
}

/** `arn:aws:iam::ACCOUNT:role/path/NAME` as the session that uses it: paths are left out. */
export function sessionArn(roleArn: string, session: string): string {
  const account = roleArn.split(':')[4] ?? '';
  return `arn:aws:sts::${account}:assumed-role/${roleArn.split('/').at(-1) ?? ''}/${session}`;
}

function refusal(code: string, message: string, status = 400): AwsError {
  return { status, code, message };
}
