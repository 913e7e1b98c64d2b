import type { Assembly, Stack } from './assembly';
import { checkResource } from './check-resource';
import { evaluateConditions } from './conditions';
import type { ConstructPaths } from './construct-paths';
import type { Finding } from './finding';
import { IntrinsicError } from './intrinsic';
import { EMULATED_TRANSFORMS, transformsOf } from './intrinsics';
import { nestedTemplate } from './nested-template';
import { type Edge, orderOf } from './order';
import { parameterValues } from './parameters';
import { edgesOf, faultOf } from './reference-check';
import { type Reference, referencesIn } from './references';
import { resolve } from './resolve';
import type { ResourceProvider } from './resource-provider';
import { KNOWN_SECTIONS, NESTED_STACK } from './resource-types';
import { pseudoParameters, type Scope } from './scope';
import { dependsOn, isRecord, type Template, type TemplateResource, typeOf } from './template';

/** A stack that was found to be deployable, as far as that can be known before anything is created. */
export interface PlannedStack {
  readonly name: string;
  readonly template: Template;
  readonly paths: ConstructPaths;
  /** Logical ids, dependencies first. */
  readonly sequence: readonly string[];
  /** What each resource needs, by logical id. */
  readonly needs: ReadonlyMap<string, readonly Edge[]>;
  readonly nested: ReadonlyMap<string, PlannedStack>;
}

/** Something that a stack takes from another one: an export by its name, or any output of a stack. */
export interface Want {
  readonly stack: string;
  readonly from: string;
  readonly isExport: boolean;
  /** What to report when nobody offers it. */
  readonly finding: Finding;
}

export interface PlanContext {
  readonly assembly: Assembly;
  readonly providers: ReadonlyMap<string, ResourceProvider>;
  readonly account: string;
  readonly region: string;
  readonly findings: Finding[];
  /** Top-level stack by export name. */
  readonly exports: Map<string, string>;
  readonly wants: Want[];
}

export interface PlanRequest extends Pick<Stack, 'name' | 'template' | 'paths'> {
  readonly given: Readonly<Record<string, unknown>>;
  /** Parameters whose value is known only when the parent's resources exist. */
  readonly deferred?: ReadonlySet<string>;
  /** Names of the stacks around it, the outermost first. */
  readonly ancestors?: readonly string[];
}

const DEEPEST_NESTING = 10;

/** Checks one stack and those nested in it; every finding goes into the context. */
export function planStack(context: PlanContext, request: PlanRequest): PlannedStack {
  return new StackPlan(context, request).plan();
}

class StackPlan {
  private readonly scope: Scope;
  private readonly template: Template;
  private readonly root: string;
  private readonly needs = new Map<string, readonly Edge[]>();
  private readonly nested = new Map<string, PlannedStack>();

  constructor(
    private readonly context: PlanContext,
    private readonly request: PlanRequest,
  ) {
    const { name, template, given, deferred, ancestors = [] } = request;
    this.template = template;
    this.root = ancestors[0] ?? name;
    const parameters = parameterValues(template, given, () => undefined, deferred);
    for (const failure of parameters.failures)
      this.find(failure.message, { path: `Parameters.${failure.name}` });
    const base = {
      template,
      parameters: parameters.values,
      pseudo: pseudoParameters(context.account, context.region, name),
      exports: new Map(),
      outputs: new Map(),
    };
    const conditions = evaluateConditions(base);
    for (const { path, message } of conditions.failures) this.find(message, { path });
    this.scope = { ...base, conditions: conditions.outcomes, resources: new Map() };
  }

  plan(): PlannedStack {
    const { name, template, paths } = this.request;
    this.checkSections();
    for (const [logicalId, resource] of Object.entries(template.Resources ?? {})) {
      if (isRecord(resource)) this.planResource(logicalId, resource);
      else this.find('must be an object', { logicalId });
    }
    this.checkOutputs();
    const order = orderOf(Object.keys(template.Resources ?? {}), (id) => this.needs.get(id) ?? []);
    for (const cycle of order.cycles) this.find(`the resources need each other in a circle: ${cycle}`);
    return { name, template, paths, sequence: order.sequence, needs: this.needs, nested: this.nested };
  }

  private find(message: string, place: Partial<Finding> = {}): void {
    this.context.findings.push({ stack: this.request.name, ...place, message });
  }

  private checkSections(): void {
    const { template } = this;
    for (const section of Object.keys(template))
      if (!KNOWN_SECTIONS.has(section)) this.find('this section is not emulated', { path: section });
    for (const transform of transformsOf(template.Transform))
      if (!EMULATED_TRANSFORMS.has(transform))
        this.find(`the transform ${transform} is not emulated`, { path: 'Transform' });
    if (template.Resources === undefined && template.Outputs === undefined)
      this.find('this is not a CloudFormation template: it has no Resources');
  }

  private planResource(logicalId: string, resource: TemplateResource): void {
    const { template, scope } = this;
    const place = { logicalId, type: typeOf(resource) };
    const { Condition: condition } = resource;
    const active = typeof condition !== 'string' || scope.conditions.get(condition) !== false;
    const provider = this.context.providers.get(place.type);
    for (const { message, ...found } of checkResource(resource, { active, scope, provider }))
      this.find(message, { ...place, ...found });
    const references = referencesIn(resource.Properties ?? {}, 'Properties');
    this.checkReferences(references, place);
    const needs = [
      ...references.flatMap((each) => edgesOf(each, template)),
      ...dependsOn(resource).map((to) => ({ to, reason: 'DependsOn' })),
    ];
    this.needs.set(
      logicalId,
      needs.filter(({ to }) => template.Resources?.[to] !== undefined),
    );
    if (active && place.type === NESTED_STACK && isRecord(resource.Properties))
      this.planNested(logicalId, resource.Properties);
  }

  private checkReferences(references: readonly Reference[], place: Partial<Finding>): void {
    for (const reference of references) {
      const { path, kind } = reference;
      const message = faultOf(reference, this.template, this.scope.pseudo);
      if (message !== undefined) this.find(message, { ...place, path });
      if (kind !== 'import' && kind !== 'output') continue;
      const wanted = this.attempt(reference.argument, path);
      if (wanted === undefined) continue;
      const isExport = kind === 'import';
      const from = isExport ? String(wanted) : isRecord(wanted) ? String(wanted['StackName']) : '';
      const absent = isExport
        ? `no stack of the assembly exports '${from}'`
        : `the assembly has no stack '${from}'`;
      const finding = { stack: this.request.name, ...place, path, message: absent };
      this.context.wants.push({ stack: this.root, from, isExport, finding });
    }
  }

  private checkOutputs(): void {
    const { template, scope, context } = this;
    for (const [output, definition] of Object.entries(template.Outputs ?? {})) {
      const path = `Outputs.${output}`;
      const { Value: value, Condition: condition, Export: exported } = definition;
      this.checkReferences(referencesIn(value, `${path}.Value`), {});
      if (condition !== undefined && template.Conditions?.[condition] === undefined)
        this.find(`there is no condition '${condition}'`, { path: `${path}.Condition` });
      if (condition !== undefined && scope.conditions.get(condition) === false) continue;
      const name = this.attempt(exported?.Name, `${path}.Export.Name`);
      if (name === undefined) continue;
      if (context.exports.has(String(name)))
        this.find(`'${String(name)}' is exported twice`, { path: `${path}.Export.Name` });
      context.exports.set(String(name), this.root);
    }
  }

  private planNested(logicalId: string, properties: Readonly<Record<string, unknown>>): void {
    const { request, scope, context } = this;
    const place = { logicalId, type: NESTED_STACK, path: 'Properties.TemplateURL' };
    const ancestors = [...(request.ancestors ?? []), request.name];
    if (ancestors.length > DEEPEST_NESTING) {
      this.find('stacks are nested too deeply', place);
      return;
    }
    try {
      const url = resolve(properties['TemplateURL'], scope, place.path);
      const template = nestedTemplate(url, context.assembly, scope.pseudo);
      const given: Record<string, unknown> = {};
      const deferred = new Set<string>();
      const parameters = isRecord(properties['Parameters']) ? properties['Parameters'] : {};
      for (const [name, value] of Object.entries(parameters)) {
        const resolved = this.attempt(value, name);
        if (resolved === undefined) deferred.add(name);
        else given[name] = resolved;
      }
      const name = `${request.name}/${logicalId}`;
      const paths = request.paths.nested(logicalId);
      this.nested.set(logicalId, planStack(context, { name, template, paths, given, deferred, ancestors }));
    } catch (error) {
      this.find(error instanceof Error ? error.message : String(error), place);
    }
  }

  /** Undefined where the value is known only later, or is faulty: faults are found by their references. */
  private attempt(value: unknown, path: string): unknown {
    try {
      return value === undefined ? undefined : resolve(value, this.scope, path);
    } catch (error) {
      if (error instanceof IntrinsicError) return undefined;
      throw error;
    }
  }
}
