import { ResourceError } from '../cloudformation/resource-provider';
import type { FunctionConfig } from './function-config';

const MOST_VARIABLE_BYTES = 4_096;
/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
const RESERVED =
  /^(_HANDLER|_X_AMZN_TRACE_ID|AWS_(DEFAULT_REGION|REGION|EXECUTION_ENV|LAMBDA_(FUNCTION_(NAME|MEMORY_SIZE|VERSION)|INITIALIZATION_TYPE|LOG_(GROUP|STREAM)_NAME|RUNTIME_API)|ACCESS_KEY(_ID)?|SECRET_ACCESS_KEY|SESSION_TOKEN)|LAMBDA_(TASK_ROOT|RUNTIME_DIR))$/;

/**
 * Refuses settings that Lambda refuses.
 * https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html
 */
export function checkSettings({ name, timeout, memory, environment, reserved }: FunctionConfig): void {
  if (!/^[a-zA-Z0-9-_]{1,64}$/.test(name))
    throw new ResourceError('FunctionName', `must be 1 to 64 letters, digits, - and _, and is '${name}'`);
  within('Timeout', timeout, 1, 900);
  within('MemorySize', memory, 128, 10_240);
  if (reserved !== undefined) within('ReservedConcurrentExecutions', reserved, 0, Number.MAX_SAFE_INTEGER);
  const taken = Object.keys(environment).filter((key) => RESERVED.test(key));
  if (taken.length > 0)
    throw new ResourceError(
      'Environment',
      `Lambda was unable to configure your environment variables because the environment variables you have provided contains reserved keys that are currently not supported for modification. Reserved keys used in this request: ${taken.join(', ')}`,
    );
  if (Buffer.byteLength(JSON.stringify(environment)) > MOST_VARIABLE_BYTES)
    throw new ResourceError(
      'Environment',
      'Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit.',
    );
}

function within(property: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new ResourceError(property, `must be a whole number from ${least} to ${most}, and is ${value}`);
}
