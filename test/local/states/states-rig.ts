import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
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

export const ROLE = 'arn:aws:iam::123456789012:role/machine';
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
export let metrics: { readonly name: string; readonly value: number }[];
export let events: { readonly type: string; readonly detail: Readonly<Record<string, unknown>> }[];
export let calls: { readonly payload: Record<string, unknown>; readonly at: number }[];

beforeEach(async () => {
  clock = new SimulatedClock();
  const identities = new Identities();
  gateway = new Gateway({ clock, identities });
  await gateway.listen();
  world.answer = () => ({});
  calls = [];
  world.denied = [];
  metrics = [];
  events = [];
  const environment = fakeEnvironment({
    clock,
    endpoint: () => gateway.endpoint(),
    metrics: { put: (datum) => void metrics.push(datum), addSource: () => {} },
    emit: (event) => void events.push(event),
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
    disableHostPrefix: true,
  });
});
afterEach(async () => {
  client.destroy();
  await states.stop();
  sqs.stop();
  await gateway.stop();
});

export async function create(
  definition: object,
  name = 'machine',
  type: 'STANDARD' | 'EXPRESS' = 'STANDARD',
): Promise<string> {
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({
      name,
      type,
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

export async function historyOf(executionArn: string, more: object = {}) {
  const { events: found = [] } = await client.send(
    new GetExecutionHistoryCommand({ executionArn, maxResults: 1000, ...more }),
  );
  return found;
}

/** Starts an execution of a machine that exists, lets time pass, and answers how it ended. */
export async function runMachine(stateMachineArn: string, input: unknown = {}, ms = 3_600_000) {
  const { executionArn } = await client.send(
    new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }),
  );
  await clock.advance(ms);
  return { executionArn: executionArn as string, ...(await outcome(executionArn as string)) };
}
