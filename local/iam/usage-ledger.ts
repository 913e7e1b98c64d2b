import type { Statement } from './policy-document';
import type { Role, Roles } from './roles';
import { matchesWildcard } from './wildcard';

export interface UnusedGrant {
  readonly roleArn: string;
  readonly policy: string;
  /** Its Sid, or its place in the policy (`#0`). */
  readonly statement: string;
  /** As the policy writes it, so that it may be a pattern. */
  readonly action: string;
  readonly resources: readonly string[];
  /** False: calls of this service do not pass the engine (logs, tracing, encryption), so that unused says nothing. */
  readonly observable: boolean;
}

export interface DeniedCall {
  readonly roleArn: string;
  readonly action: string;
  readonly resource: string;
  readonly reason: string;
  /** When it was denied first, in milliseconds since the epoch. */
  readonly since: number;
  readonly count: number;
}

/** Services whose engine asks before it acts. */
const OBSERVED: ReadonlySet<string> = new Set([
  'sqs',
  'dynamodb',
  'states',
  'lambda',
  'sns',
  'cloudwatch',
  's3',
  'events',
  'scheduler',
  'sts',
  'ssm',
]);

/** Remembers what roles did with their rights. */
export class UsageLedger {
  private readonly used = new WeakMap<Statement, Set<string>>();
  private readonly denied = new Map<string, DeniedCall>();

  allowed(statements: readonly Statement[], action: string): void {
    for (const statement of statements) {
      const patterns = this.used.get(statement) ?? new Set();
      for (const pattern of statement.actions)
        if (matchesWildcard(pattern, action, true)) patterns.add(pattern);
      this.used.set(statement, patterns);
    }
  }

  refused(call: Omit<DeniedCall, 'since' | 'count'>, now: number): void {
    const key = `${call.roleArn} ${call.action} ${call.resource}`;
    const before = this.denied.get(key);
    this.denied.set(key, { ...call, since: before?.since ?? now, count: (before?.count ?? 0) + 1 });
  }

  deniedCalls(): DeniedCall[] {
    return [...this.denied.values()];
  }

  /** Policies that AWS wrote are left out: nobody here can narrow them. */
  unusedGrants(roles: Roles): UnusedGrant[] {
    return [...roles.all()].flatMap((role) =>
      roles
        .policiesOf(role)
        .filter((policy) => !policy.awsManaged)
        .flatMap((policy) =>
          policy.statements.flatMap((statement) => this.unusedOf(role, policy.name, statement)),
        ),
    );
  }

  private unusedOf({ arn }: Role, policy: string, statement: Statement): UnusedGrant[] {
    if (statement.effect === 'Deny' || statement.notActions) return [];
    const used = this.used.get(statement);
    return statement.actions
      .filter((action) => used?.has(action) !== true)
      .map((action) => ({
        roleArn: arn,
        policy,
        statement: statement.sid,
        action,
        resources: statement.resources,
        observable: OBSERVED.has(action.split(':')[0]?.toLowerCase() ?? '') || action === '*',
      }));
  }
}
