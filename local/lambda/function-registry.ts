import { functionNameOf, qualifierOf } from './function-config';
import type { FunctionPool } from './function-pool';

/** What a call by name, version or alias comes to. */
export interface ResolvedFunction {
  readonly pool: FunctionPool;
  /** `$LATEST`, or the number of a version. Every version runs the latest code here. */
  readonly version: string;
  /** As it was called: with the version or alias, if one was named. */
  readonly arn: string;
}

/** Functions with their versions and aliases. */
export class FunctionRegistry {
  readonly pools = new Map<string, FunctionPool>();
  private readonly published = new Map<string, number>();
  private readonly aliases = new Map<string, Map<string, string>>();

  find(nameOrArn: string): FunctionPool | undefined {
    return this.pools.get(functionNameOf(nameOrArn));
  }

  /** Answers the number of the new version. */
  publish(functionName: string): string {
    const version = (this.published.get(functionName) ?? 0) + 1;
    this.published.set(functionName, version);
    return String(version);
  }

  alias(functionName: string, alias: string, version: string): void {
    const known = this.aliases.get(functionName) ?? new Map<string, string>();
    this.aliases.set(functionName, known.set(alias, version));
  }

  versionsOf(functionName: string): string[] {
    const numbers = Array.from({ length: this.published.get(functionName) ?? 0 }, (_, index) => index + 1);
    return ['$LATEST', ...numbers.map(String)];
  }

  aliasesOf(functionName: string): ReadonlyMap<string, string> {
    return this.aliases.get(functionName) ?? new Map();
  }

  resolve(nameOrArn: string, qualifier = qualifierOf(nameOrArn)): ResolvedFunction | undefined {
    const pool = this.find(nameOrArn);
    if (pool === undefined) return undefined;
    const { name, arn } = pool.config;
    if (qualifier === undefined) return { pool, version: '$LATEST', arn };
    const version = this.aliasesOf(name).get(qualifier) ?? qualifier;
    if (!this.versionsOf(name).includes(version)) return undefined;
    return { pool, version, arn: `${arn}:${qualifier}` };
  }
}
