import { isRecord } from './template';

/** A value that can't be resolved, with the place where. */
export class IntrinsicError extends Error {
  override readonly name: string = 'IntrinsicError';
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** A value that is known only after something was created. */
export class NotYetKnownError extends IntrinsicError {
  override readonly name = 'NotYetKnownError';
}

export interface Intrinsic {
  readonly name: string;
  readonly argument: unknown;
}

/** `{"Ref": …}` and `{"Fn::…": …}` with one key. `Condition` counts in the Conditions section only. */
export function intrinsicOf(value: unknown): Intrinsic | undefined {
  if (!isRecord(value)) return undefined;
  const keys = Object.keys(value);
  const name = keys[0];
  if (keys.length !== 1 || name === undefined) return undefined;
  return name === 'Ref' || name.startsWith('Fn::') ? { name, argument: value[name] } : undefined;
}

/** `["Id", "Attribute"]` or `"Id.Attribute"`; the attribute may itself hold dots (`Outputs.Name`). */
export function attributeReference(argument: unknown): { logicalId: string; attribute: unknown } | undefined {
  if (typeof argument === 'string') {
    const dot = argument.indexOf('.');
    return dot > 0 ? { logicalId: argument.slice(0, dot), attribute: argument.slice(dot + 1) } : undefined;
  }
  if (!Array.isArray(argument) || argument.length < 2 || typeof argument[0] !== 'string') return undefined;
  const rest: unknown[] = argument.slice(1);
  return { logicalId: argument[0], attribute: rest.length === 1 ? rest[0] : rest.join('.') };
}

export interface Substitution {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export function substitutionOf(argument: unknown): Substitution | undefined {
  if (typeof argument === 'string') return { text: argument, variables: {} };
  if (!Array.isArray(argument) || argument.length !== 2) return undefined;
  const [text, variables] = argument;
  return typeof text === 'string' && isRecord(variables) ? { text, variables } : undefined;
}

/** `${Name}`, `${Id.Attribute}`; `${!Literal}` is text. */
export const SUBSTITUTION_VARIABLE = /\$\{(!?)\s*([^}]*?)\s*\}/g;
