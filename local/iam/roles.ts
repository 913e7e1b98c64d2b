import type { Statement } from './policy-document';

/** One policy as it counts for a role. */
export interface AttachedPolicy {
  readonly name: string;
  readonly statements: readonly Statement[];
  /** Written by AWS, so that nobody here can narrow it. */
  readonly awsManaged: boolean;
}

export interface Role {
  readonly arn: string;
  readonly name: string;
  readonly trust: readonly Statement[];
  readonly policies: readonly AttachedPolicy[];
  readonly managedPolicyArns: readonly string[];
  readonly boundaryArn?: string;
}

/** What the deployed templates say about roles and policies. Policies may come before or after what they refer to. */
export class Roles {
  private readonly byArn = new Map<string, Role>();
  private readonly inline = new Map<string, AttachedPolicy[]>();
  private readonly managed = new Map<string, AttachedPolicy>();
  private readonly attached = new Map<string, Set<string>>();
  /** Grows with every change, so that decisions made before can be told apart. */
  version = 0;

  addRole(role: Role): void {
    this.version++;
    this.byArn.set(role.arn, role);
  }

  addInline(roleName: string, policy: AttachedPolicy): void {
    this.version++;
    this.inline.set(roleName, [...(this.inline.get(roleName) ?? []), policy]);
  }

  addManaged(arn: string, policy: AttachedPolicy, roleNames: readonly string[] = []): void {
    this.version++;
    this.managed.set(arn, policy);
    for (const name of roleNames) this.attached.set(name, (this.attached.get(name) ?? new Set()).add(arn));
  }

  hasManaged(arn: string): boolean {
    return this.managed.has(arn);
  }

  get(arn: string): Role | undefined {
    return this.byArn.get(arn);
  }

  all(): Iterable<Role> {
    return this.byArn.values();
  }

  policiesOf(role: Role): AttachedPolicy[] {
    const arns = new Set([...role.managedPolicyArns, ...(this.attached.get(role.name) ?? [])]);
    return [
      ...role.policies,
      ...(this.inline.get(role.name) ?? []),
      ...[...arns].flatMap((arn) => this.managed.get(arn) ?? []),
    ];
  }

  /** Undefined: the role has no permissions boundary. */
  boundaryOf({ boundaryArn }: Role): AttachedPolicy | undefined {
    return boundaryArn === undefined ? undefined : this.managed.get(boundaryArn);
  }
}
