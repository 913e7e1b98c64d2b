import { attributeReference, intrinsicOf, SUBSTITUTION_VARIABLE, substitutionOf } from './intrinsic';
import { INTRINSICS } from './intrinsics';
import { isRecord } from './template';

export type Reference = { readonly path: string } & (
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'condition'; readonly name: string }
  | { readonly kind: 'import'; readonly argument: unknown }
  | { readonly kind: 'output'; readonly argument: unknown }
  | { readonly kind: 'fault'; readonly message: string }
);

/** Everything that a value refers to, in both branches of every Fn::If, and what is malformed about it. */
export function referencesIn(value: unknown, path: string): Reference[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => referencesIn(item, `${path}[${index}]`));
  if (typeof value === 'string')
    return value.includes('{{resolve:')
      ? [{ kind: 'fault', path, message: 'dynamic references ({{resolve:…}}) are not emulated' }]
      : [];
  if (!isRecord(value)) return [];
  const intrinsic = intrinsicOf(value);
  if (intrinsic === undefined) return inRecord(value, path);
  const { name, argument } = intrinsic;
  const inner = `${path}.${name}`;
  switch (name) {
    case 'Ref':
      return typeof argument === 'string'
        ? [{ kind: 'name', name: argument, path }]
        : [{ kind: 'fault', path, message: 'Ref takes a name' }];
    case 'Fn::GetAtt': {
      const target = attributeReference(argument);
      if (target === undefined)
        return [
          { kind: 'fault', path, message: 'Fn::GetAtt takes a logical id and the name of an attribute' },
        ];
      return [{ kind: 'attribute', name: target.logicalId, path }, ...referencesIn(target.attribute, inner)];
    }
    case 'Fn::Sub':
      return inSubstitution(argument, inner);
    case 'Fn::If': {
      const [condition, ...branches] = Array.isArray(argument) ? argument : [];
      if (typeof condition !== 'string')
        return [
          { kind: 'fault', path: inner, message: 'Fn::If takes the name of a condition and two values' },
        ];
      return [{ kind: 'condition', name: condition, path: inner }, ...referencesIn(branches, inner)];
    }
    case 'Fn::ImportValue':
      return [{ kind: 'import', argument, path: inner }, ...referencesIn(argument, inner)];
    case 'Fn::GetStackOutput':
      return [{ kind: 'output', argument, path: inner }, ...referencesIn(argument, inner)];
    default:
      return INTRINSICS[name] === undefined
        ? [{ kind: 'fault', path, message: `the intrinsic ${name} is not emulated` }]
        : referencesIn(argument, inner);
  }
}

function inRecord(value: Readonly<Record<string, unknown>>, path: string): Reference[] {
  return Object.entries(value).flatMap(([key, item]): Reference[] =>
    key.startsWith('Fn::')
      ? [
          {
            kind: 'fault',
            path: `${path}.${key}`,
            message: `the intrinsic ${key} must be the only key of its object`,
          },
        ]
      : referencesIn(item, `${path}.${key}`),
  );
}

function inSubstitution(argument: unknown, path: string): Reference[] {
  const substitution = substitutionOf(argument);
  if (substitution === undefined)
    return [{ kind: 'fault', path, message: 'Fn::Sub takes a string, or a string and its variables' }];
  const found = inRecord(substitution.variables, `${path}[1]`);
  for (const [, literal, name = ''] of substitution.text.matchAll(SUBSTITUTION_VARIABLE)) {
    if (literal === '!' || name in substitution.variables) continue;
    found.push(
      name.includes('.')
        ? { kind: 'attribute', name: name.slice(0, name.indexOf('.')), path }
        : { kind: 'name', name, path },
    );
  }
  return found;
}
