import { StatesApiError } from './states-error';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that Step Functions refuses
const FORBIDDEN = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f]/u;
const MACHINE = /^arn:[^:]+:states:[^:]+:\d{12}:stateMachine:[^:]+$/;
const EXECUTION = /^arn:[^:]+:states:[^:]+:\d{12}:(?:execution:[^:]+:[^:]+|express:[^:]+:[^:]+:[^:]+)$/;

/** https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html#StepFunctions-StartExecution-request-name */
export function checkName(name: string): void {
  if (name.length < 1 || name.length > 80 || FORBIDDEN.test(name))
    throw new StatesApiError('InvalidName', `Invalid Name: '${name}'`);
}

export function machineArnOf(given: unknown): string {
  return checked(given, MACHINE);
}

export function executionArnOf(given: unknown): string {
  return checked(given, EXECUTION);
}

export function roleArnOf(given: unknown): string {
  return checked(given, /^arn:[^:]+:iam::\d{12}:role\/.+$/);
}

function checked(given: unknown, form: RegExp): string {
  const arn = String(given);
  if (!form.test(arn)) throw new StatesApiError('InvalidArn', `Invalid Arn: '${arn}'`);
  return arn;
}
