import type { ResourceProvider } from '../cloudformation/resource-provider';
import type { AccessRequest, Environment } from '../gateway/service';
import { type Call, conditionsHold, coversResource, isAbout, looksAtContext } from './evaluate';
import type { Statement } from './policy-document';
import { iamProviders } from './providers';
import { type AttachedPolicy, Roles } from './roles';
import { type DeniedCall, type UnusedGrant, UsageLedger } from './usage-ledger';
import { matchesWildcard } from './wildcard';

interface Decision {
  /** Undefined: allowed. */
  readonly refusal: string | undefined;
  readonly cacheable: boolean;
}

export interface IamOptions {
  /** False: a call that a role may not make is written down and let through. Default true. */
  readonly enforce?: boolean;
}

type Surroundings = Pick<Environment, 'clock' | 'account' | 'region' | 'emit'>;

/**
 * Decides as IAM does for one account with identity policies and permissions boundaries.
 * Resource policies are not looked at: in one account they can only add, or deny what no test here does.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export class Iam {
  readonly roles = new Roles();
  readonly providers: readonly ResourceProvider[];
  private readonly ledger = new UsageLedger();
  private readonly decisions = new Map<string, string | undefined>();
  private decidedAt = -1;

  constructor(
    private readonly environment: Surroundings,
    private readonly options: IamOptions = {},
  ) {
    this.providers = iamProviders(this.roles);
  }

  /** Answers undefined when allowed, else the sentence for the AccessDenied error. The person may do everything. */
  authorize(request: AccessRequest): string | undefined {
    const { roleArn } = request.identity;
    if (roleArn === undefined) return undefined;
    const refusal = this.decide(roleArn, request);
    if (refusal === undefined) return undefined;
    const { action, resource } = request;
    const { clock, emit } = this.environment;
    this.ledger.refused({ roleArn, action, resource, reason: refusal }, clock.now());
    emit({ type: 'iam.denied', at: clock.now(), detail: { roleArn, action, resource, reason: refusal } });
    return this.options.enforce === false ? undefined : refusal;
  }

  hasRole(roleArn: string): boolean {
    return this.roles.get(roleArn) !== undefined;
  }

  /** Whether a service, such as `lambda.amazonaws.com`, may take the role on. */
  trusts(roleArn: string, servicePrincipal: string): boolean {
    const trust = this.roles.get(roleArn)?.trust ?? [];
    const named = trust.filter(
      (statement) =>
        isAbout(statement, 'sts:AssumeRole') &&
        statement.principals.some((who) => matchesWildcard(who, `Service:${servicePrincipal}`)),
    );
    return named.some(({ effect }) => effect === 'Allow') && !named.some(({ effect }) => effect === 'Deny');
  }

  unusedGrants(): UnusedGrant[] {
    return this.ledger.unusedGrants(this.roles);
  }

  deniedCalls(): DeniedCall[] {
    return this.ledger.deniedCalls();
  }

  private decide(roleArn: string, request: AccessRequest): string | undefined {
    if (this.decidedAt !== this.roles.version) {
      this.decisions.clear();
      this.decidedAt = this.roles.version;
    }
    const key = `${roleArn} ${request.action} ${request.resource}`;
    if (this.decisions.has(key)) return this.decisions.get(key);
    const { refusal, cacheable } = this.evaluate(roleArn, request);
    if (cacheable) this.decisions.set(key, refusal);
    return refusal;
  }

  private evaluate(roleArn: string, request: AccessRequest): Decision {
    const { action, resource } = request;
    const role = this.roles.get(roleArn);
    const call: Call = { action, resource, context: this.contextOf(request, roleArn) };
    const who = `User: ${sessionArn(roleArn)} is not authorized to perform: ${action} on resource: ${resource}`;
    const policies = role === undefined ? [] : this.roles.policiesOf(role);
    const own = concerning(policies, call);
    const boundary = role === undefined ? undefined : this.roles.boundaryOf(role);
    const bounds = boundary === undefined ? undefined : concerning([boundary], call);
    const cacheable = ![...own, ...(bounds ?? [])].some(looksAtContext);
    const holding = own.filter((statement) => conditionsHold(statement, call));
    const held = bounds?.filter((statement) => conditionsHold(statement, call));
    if (holding.some(isDeny))
      return { refusal: `${who} with an explicit deny in an identity-based policy`, cacheable };
    if (held?.some(isDeny))
      return { refusal: `${who} with an explicit deny in a permissions boundary`, cacheable };
    if (holding.length === 0)
      return { refusal: `${who} because no identity-based policy allows the ${action} action`, cacheable };
    if (held?.length === 0)
      return { refusal: `${who} because no permissions boundary allows the ${action} action`, cacheable };
    this.ledger.allowed(holding, action);
    return { refusal: undefined, cacheable };
  }

  /** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html */
  private contextOf({ identity, context = {} }: AccessRequest, roleArn: string): Call['context'] {
    const now = this.environment.clock.now();
    const values = new Map<string, readonly string[]>([
      ['aws:principalarn', [roleArn]],
      ['aws:principalaccount', [this.environment.account]],
      ['aws:principaltype', ['AssumedRole']],
      ['aws:userid', [identity.accessKeyId]],
      ['aws:requestedregion', [this.environment.region]],
      ['aws:resourceaccount', [this.environment.account]],
      ['aws:currenttime', [new Date(now).toISOString()]],
      ['aws:epochtime', [String(Math.floor(now / 1_000))]],
      ['aws:sourceip', ['127.0.0.1']],
      // On AWS every one of these calls comes over TLS; that it does not here must change nothing.
      ['aws:securetransport', ['true']],
    ]);
    for (const [key, value] of Object.entries(context)) values.set(key.toLowerCase(), [value].flat());
    return values;
  }
}

export function createIam(environment: Surroundings, options: IamOptions = {}): Iam {
  return new Iam(environment, options);
}

function concerning(policies: readonly AttachedPolicy[], call: Call): Statement[] {
  return policies.flatMap(({ statements }) =>
    statements.filter((statement) => isAbout(statement, call.action) && coversResource(statement, call)),
  );
}

function isDeny({ effect }: Statement): boolean {
  return effect === 'Deny';
}

function sessionArn(roleArn: string): string {
  const account = roleArn.split(':')[4] ?? '';
  return `arn:aws:sts::${account}:assumed-role/${roleArn.split('/').at(-1) ?? ''}/local`;
}
