import type { Edge } from './order';
import type { Reference } from './references';
import type { Template } from './template';

/** What is wrong with a reference, as far as the template alone tells. */
export function faultOf(
  reference: Reference,
  template: Template,
  pseudo: Readonly<Record<string, string>>,
): string | undefined {
  switch (reference.kind) {
    case 'fault':
      return reference.message;
    case 'name':
      return isKnown(reference.name, template, pseudo)
        ? undefined
        : `there is no parameter or resource '${reference.name}'`;
    case 'attribute':
      return template.Resources?.[reference.name] === undefined
        ? `there is no resource '${reference.name}'`
        : undefined;
    case 'condition':
      return template.Conditions?.[reference.name] === undefined
        ? `there is no condition '${reference.name}'`
        : undefined;
    default:
      return undefined;
  }
}

/** What a reference makes its owner wait for. */
export function edgesOf(reference: Reference, template: Template): Edge[] {
  if (reference.kind !== 'name' && reference.kind !== 'attribute') return [];
  return template.Resources?.[reference.name] === undefined
    ? []
    : [{ to: reference.name, reason: reference.path }];
}

function isKnown(name: string, template: Template, pseudo: Readonly<Record<string, string>>): boolean {
  return (
    name === 'AWS::NoValue' ||
    name === 'AWS::NotificationARNs' ||
    name in pseudo ||
    template.Parameters?.[name] !== undefined ||
    template.Resources?.[name] !== undefined
  );
}
