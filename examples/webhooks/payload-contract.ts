import schema from '@octokit/webhooks-schemas/schema.json';
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

const ajv = new Ajv({ strict: false, allErrors: false });
addFormats(ajv);
ajv.addSchema(schema, 'github');

const compiled = new Map<string, ValidateFunction | undefined>();

/** Where a payload breaks GitHub's published contract, as a path and a rule without values; undefined when it holds. */
export function contractBreach(event: string, payload: unknown): string | undefined {
  if (!compiled.has(event)) compiled.set(event, validatorOf(event));
  const validate = compiled.get(event);
  if (validate === undefined) return `event type ${event} has no contract`;
  if (validate(payload)) return undefined;
  const error = validate.errors?.[0];
  return `${error?.instancePath === '' ? '/' : error?.instancePath} ${error?.message ?? 'is not valid'}`;
}

/** Events with actions are called `NAME_event` in the schema, the others `NAME$event`. */
function validatorOf(event: string): ValidateFunction | undefined {
  const name = [`${event}_event`, `${event}$event`].find((candidate) => candidate in schema.definitions);
  return name === undefined ? undefined : ajv.getSchema(`github#/definitions/${name}`);
}
