import { evaluateConditions } from './conditions';
import type { DeployOptions } from './deploy';
import type { Finding, NotEmulated } from './finding';
import { generatedName } from './generated-name';
import { ignoredIn } from './ignored';
import { IntrinsicError } from './intrinsic';
import { parameterValues } from './parameters';
import type { PlannedStack } from './plan';
import { resolve } from './resolve';
import { type CreatedResource, ResourceError, type ResourceProvider } from './resource-provider';
import { IGNORED_TYPES, NESTED_STACK, RULES_REASON } from './resource-types';
import { pseudoParameters, type Scope, stackArn } from './scope';
import { isRecord, type TemplateResource, typeOf } from './template';

export interface DeployedResource extends CreatedResource {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  /** Where in the construct tree it was defined, such as `Stack/Queue/Resource`, when CDK wrote it down. */
  readonly path?: string;
}

/** One run over all stacks. Goes on after a failure with whatever does not need the failed resource. */
export class StackDeployment {
  readonly findings: Finding[] = [];
  readonly notEmulated: NotEmulated[] = [];
  readonly created: DeployedResource[] = [];
  readonly outputs = new Map<string, Map<string, unknown>>();
  private readonly exports = new Map<string, unknown>();
  private readonly providers: ReadonlyMap<string, ResourceProvider>;

  constructor(private readonly options: DeployOptions) {
    this.providers = new Map([...options.providers].map((provider) => [provider.type, provider]));
  }

  async deploy(
    stack: PlannedStack,
    given: Readonly<Record<string, unknown>>,
    name: string,
  ): Promise<ReadonlyMap<string, unknown>> {
    const { account, region, storedParameter = () => undefined } = this.options;
    const { template } = stack;
    const parameters = parameterValues(template, given, storedParameter);
    for (const { name: parameter, message } of parameters.failures)
      this.findings.push({ stack: name, path: `Parameters.${parameter}`, message });
    const base = {
      template,
      parameters: parameters.values,
      pseudo: pseudoParameters(account, region, name),
      exports: this.exports,
      outputs: this.outputs,
    };
    const conditions = evaluateConditions(base);
    for (const { path, message } of conditions.failures) this.findings.push({ stack: name, path, message });
    const failures = new Set(conditions.failures.map((failure) => failure.name));
    for (const condition of Object.keys(template.Conditions ?? {}))
      if (!conditions.outcomes.has(condition) && !failures.has(condition))
        this.findings.push({ stack: name, path: `Conditions.${condition}`, message: 'has no outcome' });
    const resources = new Map<string, CreatedResource>();
    const scope: Scope = { ...base, conditions: conditions.outcomes, resources };
    if (template['Rules'] !== undefined)
      this.notEmulated.push({ stack: name, logicalId: 'Rules', type: 'Rules', reason: RULES_REASON });

    const failed = new Set<string>();
    for (const logicalId of stack.sequence) {
      const resource = template.Resources?.[logicalId];
      if (resource === undefined || !isActive(resource, scope)) continue;
      const needs = stack.needs.get(logicalId) ?? [];
      const made = needs.some(({ to }) => failed.has(to))
        ? undefined
        : await this.attempt({ stack: name, logicalId, type: typeOf(resource) }, () =>
            this.create(stack, name, logicalId, resource, scope),
          );
      if (made === undefined) failed.add(logicalId);
      else resources.set(logicalId, made);
    }
    return this.collectOutputs(stack, name, scope, failed.size > 0);
  }

  private async create(
    stack: PlannedStack,
    stackName: string,
    logicalId: string,
    resource: TemplateResource,
    scope: Scope,
  ): Promise<CreatedResource> {
    const { account, region, assembly } = this.options;
    const type = typeOf(resource);
    const place = { stack: stackName, logicalId, type };
    const name = generatedName(stackName, logicalId);
    const reason = IGNORED_TYPES[type];
    if (reason !== undefined) {
      this.notEmulated.push({ ...place, reason });
      return { ref: name, attributes: {} };
    }
    const resolved = resolve(resource.Properties ?? {}, scope, 'Properties');
    const properties = isRecord(resolved) ? resolved : {};
    const provider = this.providers.get(type);
    this.notEmulated.push(
      ...ignoredIn(resource, properties, provider).map((each) => ({ ...place, ...each })),
    );

    let made: CreatedResource;
    if (type === NESTED_STACK) made = await this.createNested(stack, logicalId, properties, name);
    else if (provider === undefined) throw new Error('this resource type is not emulated');
    else
      made = await provider.create({
        stackName,
        logicalId,
        properties,
        account,
        region,
        generatedName: name,
        asset: (bucket, key) => assembly.assets.find(bucket, key, scope.pseudo),
      });
    const path = resource.Metadata?.['aws:cdk:path'] ?? stack.paths.find(logicalId);
    const deployed = { ...place, ...(typeof path === 'string' ? { path } : {}), ...made };
    this.created.push(deployed);
    this.options.onCreated?.(deployed);
    return made;
  }

  private async createNested(
    stack: PlannedStack,
    logicalId: string,
    properties: Readonly<Record<string, unknown>>,
    name: string,
  ): Promise<CreatedResource> {
    const inner = stack.nested.get(logicalId);
    if (inner === undefined)
      throw new ResourceError('TemplateURL', 'the template of the nested stack was not found');
    const given = isRecord(properties['Parameters']) ? properties['Parameters'] : {};
    const before = this.findings.length;
    const outputs = await this.deploy(inner, given, name);
    if (this.findings.length > before) throw new ResourceError('TemplateURL', 'the nested stack failed');
    return {
      ref: stackArn(this.options.account, this.options.region, name),
      attributes: Object.fromEntries([...outputs].map(([output, value]) => [`Outputs.${output}`, value])),
    };
  }

  private async collectOutputs(
    { template }: PlannedStack,
    name: string,
    scope: Scope,
    incomplete: boolean,
  ): Promise<ReadonlyMap<string, unknown>> {
    const values = new Map<string, unknown>();
    this.outputs.set(name, values);
    for (const [output, definition] of Object.entries(template.Outputs ?? {})) {
      if (definition.Condition !== undefined && scope.conditions.get(definition.Condition) !== true) continue;
      const path = `Outputs.${output}`;
      if (incomplete) continue;
      await this.attempt({ stack: name, path }, () => {
        const value = resolve(definition.Value, scope, `${path}.Value`);
        values.set(output, value);
        const exported = definition.Export?.Name;
        if (exported !== undefined)
          this.exports.set(String(resolve(exported, scope, `${path}.Export.Name`)), value);
        return true;
      });
    }
    return values;
  }

  private async attempt<T>(
    place: Omit<Finding, 'message'>,
    action: () => T | Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const path =
        error instanceof ResourceError
          ? `Properties.${error.property}`
          : error instanceof IntrinsicError
            ? error.path
            : place.path;
      this.findings.push({ ...place, ...(path === undefined ? {} : { path }), message });
      return undefined;
    }
  }
}

function isActive({ Condition: condition }: TemplateResource, scope: Scope): boolean {
  return typeof condition !== 'string' || scope.conditions.get(condition) === true;
}
