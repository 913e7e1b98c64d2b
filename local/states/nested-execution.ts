import type { Deadline } from './deadline';
import { StateFailure } from './states-error';
import type { Interpretation } from './visit';

/**
 * Waits for the end of another execution; with `.sync:2` its output is JSON, with `.sync` text. It is stopped when
 * nobody waits for it any more. https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html
 */
export async function runNested(
  run: Interpretation,
  executionArn: string,
  pattern: string,
  limit: Deadline,
): Promise<unknown> {
  for (const action of ['states:DescribeExecution', 'states:StopExecution'])
    run.tasks.allow(action, executionArn, run.roleArn, 'StepFunctions.AWSStepFunctionsException');
  const { status, description } = await limit.within(run.ended(executionArn)).catch((error) => {
    run.abandon(executionArn);
    throw error;
  });
  const result = Object.fromEntries(
    Object.entries(description).map(([name, value]) => [pascal(name), isoTime(name, value)]),
  );
  if (status !== 'SUCCEEDED') throw new StateFailure('States.TaskFailed', JSON.stringify(result));
  return pattern === 'sync:2' ? { ...result, Output: JSON.parse(String(description['output'])) } : result;
}

/** Step Functions names the fields of its own API with a capital letter inside a state. */
export function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function isoTime(name: string, value: unknown): unknown {
  return name.endsWith('Date') && typeof value === 'number' ? new Date(value * 1000).toISOString() : value;
}
