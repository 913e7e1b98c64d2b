import type { Assembly } from './assembly';
import { type Finding, type NotEmulated, TemplateError } from './finding';
import { orderOf } from './order';
import { type PlanContext, type PlannedStack, planStack } from './plan';
import type { ResourceProvider } from './resource-provider';
import { type DeployedResource, StackDeployment } from './stack-deployment';

export interface DeployOptions {
  readonly assembly: Assembly;
  readonly providers: Iterable<ResourceProvider>;
  readonly account: string;
  readonly region: string;
  /** Parameter values by name, for every top-level stack that declares the parameter. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Looks up a value in the emulated SSM parameter store. */
  storedParameter?(name: string): string | undefined;
  onCreated?(resource: DeployedResource): void;
}

export interface Deployment {
  readonly resources: readonly DeployedResource[];
  /** Output values by stack (nested ones by their generated name) and output. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly notEmulated: readonly NotEmulated[];
}

/**
 * Creates every resource of every stack, dependencies first.
 * Throws a TemplateError with all findings; when it could find them beforehand, nothing has been created.
 */
export async function deploy(options: DeployOptions): Promise<Deployment> {
  const planned = plan(options);
  const run = new StackDeployment(options);
  for (const stack of planned) await run.deploy(stack, givenTo(stack, options), stack.name);
  if (run.findings.length > 0) throw new TemplateError(run.findings);
  return {
    resources: run.created,
    outputs: Object.fromEntries(
      [...run.outputs].map(([stack, values]) => [stack, Object.fromEntries(values)]),
    ),
    notEmulated: run.notEmulated,
  };
}

/** The checked stacks in the order of deployment. Throws a TemplateError with all findings. */
export function plan(options: DeployOptions): PlannedStack[] {
  const { assembly, account, region } = options;
  const findings: Finding[] = [];
  const context: PlanContext = {
    assembly,
    account,
    region,
    findings,
    providers: new Map([...options.providers].map((provider) => [provider.type, provider])),
    exports: new Map(),
    wants: [],
  };
  const stacks = new Map<string, PlannedStack>();
  for (const stack of assembly.stacks) {
    const { environment = {} } = stack;
    if (stacks.has(stack.name)) findings.push({ stack: stack.name, message: 'two stacks have this name' });
    if ((environment.account ?? account) !== account || (environment.region ?? region) !== region)
      findings.push({
        stack: stack.name,
        message: `is for account ${environment.account ?? 'any'} and region ${environment.region ?? 'any'}, but the engine is account ${account} in ${region}`,
      });
    stacks.set(stack.name, planStack(context, { ...stack, given: givenTo(stack, options) }));
  }

  const edges = new Map(
    assembly.stacks.map((stack) => [
      stack.name,
      stack.dependencies.map((to) => ({ to, reason: 'dependency' })),
    ]),
  );
  for (const { stack, from, finding, isExport } of context.wants) {
    const producer = isExport ? context.exports.get(from) : from;
    if (producer === undefined || !stacks.has(producer)) findings.push(finding);
    else if (producer !== stack) edges.get(stack)?.push({ to: producer, reason: finding.path ?? 'import' });
    else findings.push({ ...finding, message: 'a stack can not take an output of itself this way' });
  }
  const order = orderOf([...stacks.keys()], (stack) => edges.get(stack) ?? []);
  for (const cycle of order.cycles)
    findings.push({
      stack: cycle.split(' ')[0] ?? '',
      message: `the stacks need each other in a circle: ${cycle}`,
    });
  if (findings.length > 0) throw new TemplateError(findings);
  return order.sequence.flatMap((name) => stacks.get(name) ?? []);
}

function givenTo(
  { template }: Pick<PlannedStack, 'template'>,
  { parameters = {} }: DeployOptions,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).filter(([name]) => template.Parameters?.[name] !== undefined),
  );
}
