import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { afterEach, beforeEach } from 'vitest';
import { SimulatedClock } from '../../../local/clock/simulated-clock';
import { Gateway } from '../../../local/gateway/gateway';
import { Identities } from '../../../local/gateway/identities';
import { ThrottledError } from '../../../local/gateway/ports';
import { createSqs, type SqsService } from '../../../local/sqs/sqs';
import { createStates, type StatesService } from '../../../local/states/states';
import { fakeEnvironment } from '../fake-environment';

const ROLE = 'arn:aws:iam::123456789012:role/machine';
export const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:f';
export let clock: SimulatedClock;
export let gateway: Gateway;
export let sqs: SqsService;
export let states: StatesService;
export let client: SFNClient;
export const world: { answer: (payload: Record<string, unknown>) => unknown; denied: string[] } = {
  answer: () => ({}),
  denied: [],
};
export let calls: { readonly payload: Record<string, unknown>; readonly at: number }[];

beforeEach(async () => {
  clock = new SimulatedClock();
  const identities = new Identities();
  gateway = new Gateway({ clock, identities });
  await gateway.listen();
  world.answer = () => ({});
  calls = [];
  world.denied = [];
  const environment = fakeEnvironment({
    clock,
    endpoint: () => gateway.endpoint(),
    authorize: ({ action }) => (world.denied.includes(action) ? `no ${action}` : undefined),
  });
  sqs = createSqs(environment);
  states = createStates(environment, {
    credentialsFor: (roleArn) => identities.credentialsFor(roleArn),
    functions: {
      invoke: async (_arn, text) => {
        const payload = JSON.parse(text);
        calls.push({ payload, at: clock.now() });
        const value = world.answer(payload);
        const failed = value instanceof Error;
        if (value instanceof ThrottledError) throw value;
        return {
          payload: JSON.stringify(failed ? { errorType: value.name, errorMessage: value.message } : value),
          ...(failed ? { functionError: 'Unhandled' as const } : {}),
          requestId: 'r',
          logTail: '',
        };
      },
    },
  });
  gateway.register(states);
  gateway.register(sqs);
  client = new SFNClient({
    endpoint: gateway.endpoint(),
    region: 'eu-west-1',
    credentials: { accessKeyId: 'person', secretAccessKey: 'none' },
    maxAttempts: 1,
  });
});
afterEach(async () => {
  client.destroy();
  await states.stop();
  sqs.stop();
  await gateway.stop();
});

export async function create(definition: object, name = 'machine'): Promise<string> {
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({
      name,
      roleArn: ROLE,
      definition: JSON.stringify({ QueryLanguage: 'JSONata', ...definition }),
    }),
  );
  return stateMachineArn as string;
}

export async function start(definition: object, input: unknown = {}): Promise<string> {
  const stateMachineArn = await create(definition);
  const { executionArn } = await client.send(
    new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input), name: 'run' }),
  );
  return executionArn as string;
}

export async function outcome(
  executionArn: string,
): Promise<{ status?: string; output?: unknown; error?: string; cause?: string }> {
  const { status, output, error, cause } = await client.send(new DescribeExecutionCommand({ executionArn }));
  return {
    ...(status === undefined ? {} : { status }),
    ...(output === undefined ? {} : { output: JSON.parse(output) }),
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
  };
}

export async function run(definition: object, input: unknown = {}, ms = 3_600_000) {
  const arn = await start(definition, input);
  await clock.advance(ms);
  return outcome(arn);
}

export const one = (state: object) => ({ StartAt: 'S', States: { S: { End: true, ...state } } });
export const task = (more: object = {}) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName: FUNCTION, Payload: '{% $states.input %}' },
  Output: '{% $states.result.Payload %}',
  ...more,
});
