import type {
  ExecutionStarter,
  FunctionInvoker,
  QueueMessageAttribute,
  QueueSender,
  TopicPublisher,
} from '../gateway/ports';
import type { Environment } from '../gateway/service';

export interface SchedulerPorts {
  readonly queues: QueueSender;
  readonly functions: FunctionInvoker;
  readonly topics: TopicPublisher;
  readonly executions: ExecutionStarter;
}

/** `Target` of a schedule, as the API and the template write it. */
export interface Target {
  readonly Arn: string;
  readonly RoleArn: string;
  readonly Input?: string;
  readonly DeadLetterConfig?: { readonly Arn?: string };
  readonly SqsParameters?: { readonly MessageGroupId?: string };
  readonly RetryPolicy?: object;
}

/** A property of a schedule that is wrong, and how. */
export class WrongScheduleError extends Error {
  override readonly name = 'WrongScheduleError';
  constructor(
    readonly property: string,
    message: string,
  ) {
    super(message);
  }
}

/** What the role of a schedule needs, by the service of the target. */
const ACTIONS: Readonly<Record<string, string>> = {
  lambda: 'lambda:InvokeFunction',
  sqs: 'sqs:SendMessage',
  sns: 'sns:Publish',
  states: 'states:StartExecution',
};

export function readTarget(given: unknown): Target {
  const target = (given ?? {}) as Target;
  const arn = String(target.Arn ?? '');
  if (arn.includes(':aws-sdk:'))
    throw new WrongScheduleError(
      'Target.Arn',
      `the universal target ${arn} is not emulated; name the queue, topic, function or state machine itself`,
    );
  if (!((arn.split(':')[2] ?? '') in ACTIONS))
    throw new WrongScheduleError(
      'Target.Arn',
      `the target '${arn}' is not emulated; queues, topics, functions and state machines are`,
    );
  if (!target.RoleArn) throw new WrongScheduleError('Target.RoleArn', 'a target needs a role');
  const input = target.Input;
  if (input !== undefined && !arn.includes(':sqs:') && !arn.includes(':sns:') && !isJson(input))
    throw new WrongScheduleError('Target.Input', `must be JSON for ${arn}, but is ${input}`);
  return { ...target, Arn: arn, ...(input === undefined ? {} : { Input: String(input) }) };
}

export interface Run {
  readonly scheduleArn: string;
  /** The time that the schedule asked for. */
  readonly at: number;
  readonly executionId: string;
}

/** Sends what a schedule says, as its role. What fails goes to its dead-letter queue at once, without a retry. */
export async function deliver(
  environment: Environment,
  ports: SchedulerPorts,
  target: Target,
  run: Run,
): Promise<void> {
  const { clock } = environment;
  const input = inputOf(environment, target, run);
  const release = clock.hold();
  const emit = (type: string, detail: object): void =>
    environment.emit({
      type,
      at: clock.now(),
      detail: { scheduleArn: run.scheduleArn, target: target.Arn, ...detail },
    });
  try {
    authorize(environment, target, target.Arn, ACTIONS[serviceOf(target.Arn)] ?? '');
    await send(ports, target, input);
    emit('scheduler.delivered', {});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    emit('scheduler.undelivered', { reason });
    const deadLetters = target.DeadLetterConfig?.Arn;
    if (deadLetters === undefined) return;
    try {
      authorize(environment, target, deadLetters, 'sqs:SendMessage');
      ports.queues.send(deadLetters, { body: input, messageAttributes: failure(error, reason, target, run) });
    } catch (lost) {
      emit('scheduler.lost', { reason: String(lost) });
    }
  } finally {
    release();
  }
}

function authorize(environment: Environment, { RoleArn }: Target, resource: string, action: string): void {
  const identity = { accessKeyId: 'scheduler.amazonaws.com', roleArn: RoleArn };
  const refusal = environment.authorize({ identity, action, resource });
  if (refusal !== undefined) throw Object.assign(new Error(refusal), { name: 'AccessDeniedException' });
}

async function send(ports: SchedulerPorts, { Arn, SqsParameters }: Target, input: string): Promise<void> {
  const groupId = SqsParameters?.MessageGroupId;
  switch (serviceOf(Arn)) {
    case 'sqs':
      return ports.queues.send(Arn, { body: input, ...(groupId === undefined ? {} : { groupId }) });
    case 'sns':
      return ports.topics.publish(Arn, { body: input });
    case 'states':
      return ports.executions.startExecution(Arn, input);
    default:
      await ports.functions.invoke(Arn, input);
  }
}

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html */
function inputOf(
  { account, region }: Environment,
  { Input }: Target,
  { scheduleArn, at, executionId }: Run,
): string {
  const time = `${new Date(at).toISOString().slice(0, 19)}Z`;
  if (Input === undefined)
    return JSON.stringify({
      version: '0',
      id: executionId,
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      account,
      time,
      region,
      resources: [scheduleArn],
      detail: '{}',
    });
  const context: Readonly<Record<string, string>> = {
    'schedule-arn': scheduleArn,
    'scheduled-time': time,
    'execution-id': executionId,
    'attempt-number': '1',
  };
  return Input.replace(/<aws\.scheduler\.([a-z-]+)>/g, (whole, name: string) => context[name] ?? whole);
}

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html */
function failure(
  error: unknown,
  reason: string,
  { Arn }: Target,
  { scheduleArn, at, executionId }: Run,
): Record<string, QueueMessageAttribute> {
  const attributes = {
    ERROR_CODE: error instanceof Error ? error.name : 'Error',
    ERROR_MESSAGE: reason,
    EXECUTION_ID: executionId,
    SCHEDULE_ARN: scheduleArn,
    SCHEDULED_TIME: `${new Date(at).toISOString().slice(0, 19)}Z`,
    TARGET_ARN: Arn,
  };
  return Object.fromEntries(
    Object.entries(attributes).map(([name, stringValue]) => [name, { dataType: 'String', stringValue }]),
  );
}

function serviceOf(arn: string): string {
  return arn.split(':')[2] ?? '';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
