import type {
  ExecutionStarter,
  FunctionInvoker,
  QueueMessageAttribute,
  QueueSender,
  TopicPublisher,
} from '../gateway/ports';
import type { Environment } from '../gateway/service';
import { type InputRules, inputOf } from './event-input';

export interface EventsPorts {
  readonly queues: QueueSender;
  readonly functions: FunctionInvoker;
  readonly topics: TopicPublisher;
  readonly executions: ExecutionStarter;
}

type Json = Readonly<Record<string, unknown>>;

/** A target of a rule, as the API and the template write it. */
export interface Target extends InputRules {
  readonly Id: string;
  readonly Arn: string;
  readonly RoleArn?: string;
  readonly SqsParameters?: { readonly MessageGroupId?: string };
  readonly DeadLetterConfig?: { readonly Arn?: string };
}

/** A property of a rule that is wrong, and how. */
export class WrongRuleError extends Error {
  override readonly name = 'WrongRuleError';
  constructor(
    readonly property: string,
    message: string,
  ) {
    super(message);
  }
}

const SERVICES = ['sqs', 'sns', 'states', 'lambda'];

export function readTarget(given: Json): Target {
  const arn = String(given['Arn']);
  if (!SERVICES.includes(serviceOf(arn)))
    throw new WrongRuleError(
      'Targets',
      `the target ${arn} is not emulated; queues, topics, functions and state machines are`,
    );
  if (serviceOf(arn) === 'states' && given['RoleArn'] === undefined)
    throw new WrongRuleError('Targets', `the state machine ${arn} needs a RoleArn that may start it`);
  const ways = ['Input', 'InputPath', 'InputTransformer'].filter((name) => given[name] !== undefined);
  if (ways.length > 1) throw new WrongRuleError('Targets', `a target has one of ${ways.join(' and ')}`);
  return { ...given, Id: String(given['Id']), Arn: arn };
}

export interface FiringRule {
  readonly name: string;
  readonly arn: string;
}

/** Sends an event to a target. What fails goes to the dead-letter queue of the target at once, without a retry. */
export async function deliver(
  environment: Environment,
  ports: EventsPorts,
  rule: FiringRule,
  target: Target,
  event: Json,
): Promise<void> {
  const emit = (type: string, detail: object): void =>
    environment.emit({
      type,
      at: environment.clock.now(),
      detail: { rule: rule.name, target: target.Arn, ...detail },
    });
  const release = environment.clock.hold();
  try {
    authorize(environment, target);
    await send(ports, target, inputOf(target, event, rule));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    emit('events.undelivered', { reason });
    const deadLetters = target.DeadLetterConfig?.Arn;
    if (deadLetters === undefined) return;
    try {
      ports.queues.send(deadLetters, {
        body: JSON.stringify(event),
        messageAttributes: failure(error, reason, rule, target),
      });
    } catch (lost) {
      emit('events.lost', { reason: String(lost) });
    }
  } finally {
    release();
  }
}

/** Only state machines are started as a role; the others let the service in by their own policies. */
function authorize({ authorize: decide }: Environment, { Arn, RoleArn }: Target): void {
  if (serviceOf(Arn) !== 'states' || RoleArn === undefined) return;
  const identity = { accessKeyId: 'events.amazonaws.com', roleArn: RoleArn };
  const refusal = decide({ identity, action: 'states:StartExecution', resource: Arn });
  if (refusal !== undefined) throw Object.assign(new Error(refusal), { name: 'AccessDeniedException' });
}

async function send(ports: EventsPorts, { Arn, SqsParameters }: Target, input: string): Promise<void> {
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

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html */
function failure(
  error: unknown,
  reason: string,
  rule: FiringRule,
  { Arn }: Target,
): Record<string, QueueMessageAttribute> {
  const attributes = {
    ERROR_CODE: error instanceof Error ? error.name : 'Error',
    ERROR_MESSAGE: reason,
    RULE_ARN: rule.arn,
    TARGET_ARN: Arn,
  };
  return Object.fromEntries(
    Object.entries(attributes).map(([name, stringValue]) => [name, { dataType: 'String', stringValue }]),
  );
}

function serviceOf(arn: string): string {
  return arn.split(':')[2] ?? '';
}
