import { listOf, objectOf, type Resource, type TemplateModel, textOf } from './template-model';

/** One statement of a policy, with what may be one or many as many. */
export interface Statement {
  readonly allow: boolean;
  readonly actions: readonly string[];
  readonly resources: readonly unknown[];
  readonly services: readonly string[];
  readonly anybody: boolean;
  readonly conditional: boolean;
}

export function statementsIn(document: unknown): Statement[] {
  const all = objectOf(document)?.['Statement'];
  return (Array.isArray(all) ? all : [all]).flatMap((raw) => {
    const statement = objectOf(raw);
    if (statement === undefined) return [];
    const principal = statement['Principal'];
    const named = objectOf(principal);
    return [
      {
        allow: statement['Effect'] === 'Allow',
        actions: many(statement['Action']).map((action) => String(action).toLowerCase()),
        resources: many(statement['Resource']),
        services: many(named?.['Service']).map(String),
        anybody: principal === '*' || many(named?.['AWS']).includes('*'),
        conditional: statement['Condition'] !== undefined,
      },
    ];
  });
}

/** True when the action, in small letters, is among those of the statement. */
export function covers({ actions }: Statement, action: string): boolean {
  return actions.some(
    (pattern) => pattern === action || (pattern.endsWith('*') && action.startsWith(pattern.slice(0, -1))),
  );
}

/** What the role of a function may do by policies of this template; undefined when the role is not of this template. */
export function rightsOf(model: TemplateModel, consumer: Resource): Statement[] | undefined {
  const role = model.target(consumer.properties['Role']);
  if (role === undefined || role.type !== 'AWS::IAM::Role') return undefined;
  const attached = [...model.ofType('AWS::IAM::Policy'), ...model.ofType('AWS::IAM::ManagedPolicy')].filter(
    ({ properties }) => listOf(properties['Roles']).some((other) => model.target(other) === role),
  );
  return [
    ...attached.flatMap(({ properties }) => statementsIn(properties['PolicyDocument'])),
    ...listOf<{ readonly PolicyDocument?: unknown }>(role.properties['Policies']).flatMap(
      ({ PolicyDocument }) => statementsIn(PolicyDocument),
    ),
  ];
}

/** Policies of AWS that say nothing of queues and keys. Any other might. */
const HARMLESS =
  /(AWSLambdaBasicExecutionRole|AWSLambdaVPCAccessExecutionRole|AWSXRayDaemonWriteAccess|AWSLambdaSQSQueueExecutionRole)$/;

/** True when policies from elsewhere are attached as well, of which nothing is known here. */
export function hasUnseenRights(model: TemplateModel, consumer: Resource): boolean {
  const role = model.target(consumer.properties['Role']);
  return listOf(role?.properties['ManagedPolicyArns']).some((arn) => !HARMLESS.test(lastText(arn)));
}

function lastText(value: unknown): string {
  const join = objectOf(value)?.['Fn::Join'];
  const parts = Array.isArray(join) ? join[1] : undefined;
  return textOf(value) ?? textOf(Array.isArray(parts) ? parts.at(-1) : undefined) ?? '';
}

function many(value: unknown): unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
