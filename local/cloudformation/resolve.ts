import { attributeReference, IntrinsicError, intrinsicOf, NotYetKnownError } from './intrinsic';
import { INTRINSICS } from './intrinsics';
import { NO_VALUE, type Scope } from './scope';
import { isRecord } from './template';

/** Replaces every intrinsic in `value`. Throws an IntrinsicError that names the place. */
export function resolve(value: unknown, scope: Scope, path = ''): unknown {
  if (typeof value === 'string') {
    if (value.includes('{{resolve:'))
      throw new IntrinsicError(path, 'dynamic references ({{resolve:…}}) are not emulated');
    return value;
  }
  if (Array.isArray(value))
    return value
      .map((item, index) => resolve(item, scope, `${path}[${index}]`))
      .filter((item) => item !== NO_VALUE);
  if (!isRecord(value)) return value;
  const intrinsic = intrinsicOf(value);
  if (intrinsic === undefined) {
    const resolved: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      const result = resolve(item, scope, path === '' ? key : `${path}.${key}`);
      if (result !== NO_VALUE) resolved[key] = result;
    }
    return resolved;
  }
  const { name, argument } = intrinsic;
  if (name === 'Ref') return reference(argument, scope, path);
  if (name === 'Fn::GetAtt') return attribute(argument, scope, path);
  const evaluate = INTRINSICS[name];
  if (evaluate === undefined) throw new IntrinsicError(path, `the intrinsic ${name} is not emulated`);
  return evaluate(argument, {
    scope,
    path: `${path}.${name}`,
    resolve: (inner, at) =>
      resolve(inner, scope, at === undefined ? `${path}.${name}` : `${path}.${name}${at}`),
    reference: (target) => reference(target, scope, path),
    attribute: (target) => attribute(target, scope, path),
  });
}

function reference(name: unknown, scope: Scope, path: string): unknown {
  if (typeof name !== 'string') throw new IntrinsicError(path, 'Ref takes a name');
  if (name === 'AWS::NoValue') return NO_VALUE;
  if (name === 'AWS::NotificationARNs') return [];
  if (name in scope.pseudo) return scope.pseudo[name];
  if (scope.parameters.has(name)) return scope.parameters.get(name);
  const resource = scope.resources.get(name);
  if (resource !== undefined) return resource.ref;
  throw missing(name, scope, path);
}

function attribute(argument: unknown, scope: Scope, path: string): unknown {
  const target = attributeReference(argument);
  if (target === undefined)
    throw new IntrinsicError(path, 'Fn::GetAtt takes a logical id and the name of an attribute');
  const name = resolve(target.attribute, scope, path);
  const resource = scope.resources.get(target.logicalId);
  if (resource === undefined) throw missing(target.logicalId, scope, path);
  const value = resource.attributes[String(name)];
  if (value === undefined)
    throw new IntrinsicError(
      path,
      `the emulated ${String(scope.template.Resources?.[target.logicalId]?.Type)} has no attribute '${String(name)}'`,
    );
  return value;
}

function missing(name: string, scope: Scope, path: string): IntrinsicError {
  if (scope.template.Parameters?.[name] !== undefined || scope.template.Resources?.[name] !== undefined)
    return new NotYetKnownError(
      path,
      `'${name}' is not there: it was not created, or its condition is false`,
    );
  return new IntrinsicError(path, `there is no parameter or resource '${name}'`);
}
