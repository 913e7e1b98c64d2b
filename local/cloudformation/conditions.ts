import { IntrinsicError, intrinsicOf, NotYetKnownError } from './intrinsic';
import { resolve } from './resolve';
import type { Scope } from './scope';
import { isRecord, type Template } from './template';

export interface ConditionFailure {
  readonly name: string;
  readonly path: string;
  readonly message: string;
}

export interface ConditionOutcomes {
  /** A condition that hangs on something not known yet has no entry. */
  readonly outcomes: ReadonlyMap<string, boolean>;
  readonly failures: readonly ConditionFailure[];
}

/**
 * Evaluates the Conditions section, which can refer to parameters, pseudo parameters, mappings and other conditions only.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html
 */
export function evaluateConditions(scope: Omit<Scope, 'conditions' | 'resources'>): ConditionOutcomes {
  const { template } = scope;
  const outcomes = new Map<string, boolean>();
  const failures: ConditionFailure[] = [];
  const full: Scope = { ...scope, conditions: outcomes, resources: new Map() };
  const under = new Set<string>();
  const broken = new Set<string>();

  const evaluate = (name: string, from: string): boolean => {
    const known = outcomes.get(name);
    if (known !== undefined) return known;
    if (broken.has(name)) throw new NotYetKnownError(from, `the condition '${name}' has no outcome`);
    const definition = template.Conditions?.[name];
    if (definition === undefined) throw new IntrinsicError(from, `there is no condition '${name}'`);
    if (under.has(name)) throw new IntrinsicError(from, `the condition '${name}' refers to itself`);
    under.add(name);
    try {
      const outcome = truth(definition, `Conditions.${name}`);
      outcomes.set(name, outcome);
      return outcome;
    } finally {
      under.delete(name);
    }
  };

  const truth = (value: unknown, path: string): boolean => {
    if (isRecord(value) && Object.keys(value).length === 1 && typeof value['Condition'] === 'string')
      return evaluate(value['Condition'], path);
    const intrinsic = intrinsicOf(value);
    const operands = Array.isArray(intrinsic?.argument) ? intrinsic.argument : [];
    const at = (index: number): string => `${path}.${intrinsic?.name}[${index}]`;
    switch (intrinsic?.name) {
      case 'Fn::Equals':
        if (operands.length !== 2) throw new IntrinsicError(path, 'Fn::Equals takes two values');
        return sameText(operand(operands[0], at(0)), operand(operands[1], at(1)));
      case 'Fn::Not':
        if (operands.length !== 1) throw new IntrinsicError(path, 'Fn::Not takes one condition');
        return !truth(operands[0], at(0));
      case 'Fn::And':
        return many(operands, path)
          .map((each, index) => truth(each, at(index)))
          .every(Boolean);
      case 'Fn::Or':
        return many(operands, path)
          .map((each, index) => truth(each, at(index)))
          .some(Boolean);
      default:
        throw new IntrinsicError(
          path,
          `a condition is made of Fn::And, Fn::Or, Fn::Not, Fn::Equals and Condition`,
        );
    }
  };

  const operand = (value: unknown, path: string): unknown => {
    const resource = resourceIn(value, template);
    if (resource !== undefined)
      throw new IntrinsicError(
        path,
        `a condition can refer to parameters only, and '${resource}' is a resource: its value is not known before it is created`,
      );
    return resolve(value, full, path);
  };

  for (const name of Object.keys(template.Conditions ?? {})) {
    try {
      evaluate(name, `Conditions.${name}`);
    } catch (error) {
      if (!(error instanceof IntrinsicError)) throw error;
      broken.add(name);
      if (!(error instanceof NotYetKnownError))
        failures.push({ name, path: error.path, message: error.message });
    }
  }
  return { outcomes, failures };
}

function many(operands: readonly unknown[], path: string): readonly unknown[] {
  if (operands.length < 2 || operands.length > 10)
    throw new IntrinsicError(path, 'Fn::And and Fn::Or take 2 to 10 conditions');
  return operands;
}

function sameText(left: unknown, right: unknown): boolean {
  const plain = (value: unknown): string =>
    typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return plain(left) === plain(right);
}

function resourceIn(value: unknown, template: Template): string | undefined {
  if (Array.isArray(value))
    return value.map((each) => resourceIn(each, template)).find((name) => name !== undefined);
  if (!isRecord(value)) return undefined;
  const intrinsic = intrinsicOf(value);
  if (intrinsic?.name === 'Fn::GetAtt') return String([intrinsic.argument].flat()[0]).split('.')[0];
  if (intrinsic?.name === 'Ref') {
    const name = String(intrinsic.argument);
    return template.Resources?.[name] === undefined ? undefined : name;
  }
  return resourceIn(Object.values(value), template);
}
