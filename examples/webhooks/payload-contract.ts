import schema from '@octokit/webhooks-schemas/schema.json';
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

const ajv = new Ajv({ strict: false, validateSchema: false, code: { optimize: false }, inlineRefs: false });
addFormats(ajv);
ajv.addSchema(schema, 'github');

const compiled = new Map<string, ValidateFunction>();

/** Where a payload breaks GitHub's published contract, as a path and a rule without values; undefined when it holds. */
export function contractBreach(event: string, payload: { readonly action?: unknown }): string | undefined {
  const name = definitionOf(event, payload.action);
  if (name === undefined) return `event type ${event} has no contract`;
  const validate = compiled.get(name) ?? ajv.getSchema(`github#/definitions/${name}`);
  if (validate === undefined) return `event type ${event} has no contract`;
  compiled.set(name, validate as ValidateFunction);
  if (validate(payload) === true) return undefined;
  const error = validate.errors?.[0];
  return `${error?.instancePath === '' ? '/' : error?.instancePath} ${error?.message ?? 'is not valid'}`;
}

/** The narrowest definition: that of the action where there is one. */
function definitionOf(event: string, action: unknown): string | undefined {
  return [`${event}$${String(action)}`, `${event}$event`, `${event}_event`].find(
    (candidate) => candidate in schema.definitions,
  );
}
