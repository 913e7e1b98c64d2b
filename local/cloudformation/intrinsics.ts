import { IntrinsicError, NotYetKnownError, SUBSTITUTION_VARIABLE, substitutionOf } from './intrinsic';
import { NO_VALUE, type Scope } from './scope';
import { isRecord } from './template';

export interface Evaluation {
  readonly scope: Scope;
  readonly path: string;
  /** Resolves an inner value; `at` is its place below the intrinsic, such as `[1]`. */
  resolve(value: unknown, at?: string): unknown;
  reference(name: string): unknown;
  attribute(target: string): unknown;
}

type Evaluate = (argument: unknown, evaluation: Evaluation) => unknown;

/**
 * All intrinsics but Ref and Fn::GetAtt.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 */
export const INTRINSICS: Readonly<Record<string, Evaluate>> = {
  'Fn::Join': (argument, at) => {
    const [delimiter, list] = pair(argument, at);
    const items = at.resolve(list, '[1]');
    if (typeof delimiter !== 'string' || !Array.isArray(items))
      throw wrong(at, 'takes a delimiter and a list of values');
    return items.map((item) => text(item, at)).join(delimiter);
  },
  'Fn::Sub': (argument, at) => {
    const substitution = substitutionOf(argument);
    if (substitution === undefined) throw wrong(at, 'takes a string, or a string and its variables');
    const { variables } = substitution;
    return substitution.text.replace(SUBSTITUTION_VARIABLE, (_whole, literal: string, name: string) => {
      if (literal === '!') return `\${${name}}`;
      if (name in variables) return text(at.resolve(variables[name], `[1].${name}`), at);
      return text(name.includes('.') ? at.attribute(name) : at.reference(name), at);
    });
  },
  'Fn::Select': (argument, at) => {
    const [index, list] = pair(argument, at);
    const items = at.resolve(list, '[1]');
    const position = Number(at.resolve(index, '[0]'));
    if (!Array.isArray(items) || !Number.isInteger(position)) throw wrong(at, 'takes an index and a list');
    if (position < 0 || position >= items.length)
      throw wrong(at, `asks for item ${position} of a list of ${items.length}`);
    return items[position];
  },
  'Fn::Split': (argument, at) => {
    const [delimiter, source] = pair(argument, at);
    const whole = at.resolve(source, '[1]');
    if (typeof delimiter !== 'string' || delimiter === '' || typeof whole !== 'string')
      throw wrong(at, 'takes a delimiter and a string');
    return whole.split(delimiter);
  },
  'Fn::FindInMap': (argument, at) => {
    if (!Array.isArray(argument) || argument.length < 3) throw wrong(at, 'takes a mapping and two keys');
    const [map, first, second] = argument
      .slice(0, 3)
      .map((key, index) => String(at.resolve(key, `[${index}]`)));
    const level = at.scope.template.Mappings?.[map ?? ''];
    const row = isRecord(level) ? level[first ?? ''] : undefined;
    const value = isRecord(row) ? row[second ?? ''] : undefined;
    if (value !== undefined) return value;
    const fallback: unknown = argument[3];
    if (isRecord(fallback) && 'DefaultValue' in fallback) return at.resolve(fallback['DefaultValue'], '[3]');
    throw wrong(at, `finds nothing in the mapping at ${map}.${first}.${second}`);
  },
  'Fn::If': (argument, at) => {
    if (!Array.isArray(argument) || argument.length !== 3 || typeof argument[0] !== 'string')
      throw wrong(at, 'takes the name of a condition and two values');
    const outcome = at.scope.conditions.get(argument[0]);
    if (outcome === undefined) {
      if (at.scope.template.Conditions?.[argument[0]] === undefined)
        throw wrong(at, `names the condition '${argument[0]}', which there is not`);
      throw new NotYetKnownError(at.path, `the condition '${argument[0]}' is not known yet`);
    }
    return outcome ? at.resolve(argument[1], '[1]') : at.resolve(argument[2], '[2]');
  },
  'Fn::ImportValue': (argument, at) => {
    const name = String(at.resolve(argument));
    if (!at.scope.exports.has(name))
      throw new NotYetKnownError(at.path, `no deployed stack exports '${name}'`);
    return at.scope.exports.get(name);
  },
  'Fn::GetStackOutput': (argument, at) => {
    const request = at.resolve(argument);
    if (!isRecord(request)) throw wrong(at, 'takes StackName and OutputName');
    if (request['Region'] !== undefined && request['Region'] !== at.scope.pseudo['AWS::Region'])
      throw wrong(at, `asks for the region ${String(request['Region'])}; only one region is emulated`);
    const value = at.scope.outputs.get(String(request['StackName']))?.get(String(request['OutputName']));
    if (value === undefined)
      throw new NotYetKnownError(
        at.path,
        `no deployed stack '${String(request['StackName'])}' has the output '${String(request['OutputName'])}'`,
      );
    return value;
  },
  'Fn::Base64': (argument, at) => Buffer.from(text(at.resolve(argument), at), 'utf8').toString('base64'),
  'Fn::GetAZs': (argument, at) => {
    const asked = at.resolve(argument);
    const region = asked === '' ? at.scope.pseudo['AWS::Region'] : String(asked);
    return ['a', 'b', 'c'].map((zone) => `${region}${zone}`);
  },
  'Fn::Length': (argument, at) => {
    extended(at);
    const list = at.resolve(argument);
    if (!Array.isArray(list)) throw wrong(at, 'takes a list');
    return list.length;
  },
  'Fn::ToJsonString': (argument, at) => {
    extended(at);
    return JSON.stringify(at.resolve(argument));
  },
};

const LANGUAGE_EXTENSIONS = 'AWS::LanguageExtensions';

export function transformsOf(transform: unknown): readonly string[] {
  const list: unknown[] = transform === undefined ? [] : Array.isArray(transform) ? transform : [transform];
  return list.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
}

export const EMULATED_TRANSFORMS: ReadonlySet<string> = new Set([LANGUAGE_EXTENSIONS]);

function extended(at: Evaluation): void {
  if (!transformsOf(at.scope.template.Transform).includes(LANGUAGE_EXTENSIONS))
    throw wrong(at, `needs the transform ${LANGUAGE_EXTENSIONS}`);
}

function pair(argument: unknown, at: Evaluation): readonly [unknown, unknown] {
  if (!Array.isArray(argument) || argument.length !== 2) throw wrong(at, 'takes a list of two');
  return [argument[0], argument[1]];
}

function text(value: unknown, at: Evaluation): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw wrong(at, value === NO_VALUE ? 'can not take AWS::NoValue here' : 'takes strings only');
}

function wrong({ path }: Evaluation, message: string): IntrinsicError {
  return new IntrinsicError(
    path,
    `${path.split('.').at(-1)?.replace(/\[.*/, '') ?? 'the intrinsic'} ${message}`,
  );
}
