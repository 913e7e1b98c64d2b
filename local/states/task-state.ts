import { Deadline } from './deadline';
import { runNested } from './nested-execution';
import { checkSize, StateFailure } from './states-error';
import { TaskEvents } from './task-events';
import { type TaskResource, taskResourceOf } from './tasks';
import { type Interpretation, type Visit, value, wholeNumber } from './visit';

/** https://docs.aws.amazon.com/step-functions/latest/dg/state-task.html */
export async function runTask(run: Interpretation, visit: Visit): Promise<unknown> {
  const { state, frame, name } = visit;
  const { branch } = frame;
  const resource = taskResourceOf(String(state.Resource)) as TaskResource;
  const events = new TaskEvents(run, visit, resource);
  let limit: Deadline | undefined;
  const callback =
    resource.pattern === 'waitForTaskToken' ? run.tokens.issue(() => limit?.beat()) : undefined;
  const { context } = visit;
  if (callback !== undefined) visit.context = { ...context, Task: { Token: callback.token } };
  try {
    const input = state.Arguments === undefined ? visit.input : await value(run, visit, state.Arguments);
    checkSize(input, name);
    const timeout = await wholeNumber(run, visit, 'TimeoutSeconds', 1);
    const heartbeat = await wholeNumber(run, visit, 'HeartbeatSeconds', 1);
    events.scheduled(input, timeout, heartbeat);
    events.started();
    limit = new Deadline(branch, name, timeout, heartbeat);
    try {
      const result = await outcomeOf(run, visit, { resource, input, limit, callback, events });
      checkSize(result, name);
      events.succeeded(result);
      return result;
    } catch (error) {
      if (error instanceof StateFailure) events.failed(error);
      throw error;
    }
  } finally {
    limit?.cancel();
    callback?.close();
    visit.context = context;
  }
}

interface Attempt {
  readonly resource: TaskResource;
  readonly input: unknown;
  readonly limit: Deadline;
  readonly callback: { readonly result: Promise<unknown> } | undefined;
  readonly events: TaskEvents;
}

async function outcomeOf(run: Interpretation, visit: Visit, attempt: Attempt): Promise<unknown> {
  const { resource, input, limit, callback, events } = attempt;
  const { branch } = visit.frame;
  if (resource.kind === 'start-execution') {
    const started = await branch.working(limit.within(startExecution(run, input)));
    if (callback === undefined && resource.pattern === 'request-response') return started;
    events.submitted(started);
    const ended =
      callback === undefined
        ? runNested(run, String(started['ExecutionArn']), resource.pattern, limit)
        : limit.within(callback.result);
    return branch.awaiting(ended);
  }
  const called = limit.within(call(run, visit, resource, input));
  const answer = await (resource.waitsForTime ? branch.awaiting(called) : branch.working(called));
  if (callback === undefined) return answer;
  events.submitted(answer);
  return branch.awaiting(limit.within(callback.result));
}

async function call(
  run: Interpretation,
  visit: Visit,
  resource: TaskResource,
  input: unknown,
): Promise<unknown> {
  const { tasks, roleArn } = run;
  if (resource.kind === 'lambda-arn')
    return (await tasks.lambda(String(visit.state.Resource), input, roleArn)).payload;
  if (resource.kind === 'sdk') return tasks.sdk(resource, input, roleArn);
  const { FunctionName: functionName, Payload: given } = (input ?? {}) as Record<string, unknown>;
  const { payload, requestId } = await tasks.lambda(String(functionName), given, roleArn);
  return {
    ExecutedVersion: '$LATEST',
    Payload: payload,
    SdkHttpMetadata: { HttpStatusCode: 200 },
    SdkResponseMetadata: { RequestId: requestId },
    StatusCode: 200,
  };
}

/** The input of the other execution may be any value, and is text on the way. */
function startExecution(run: Interpretation, given: unknown): Promise<Record<string, unknown>> {
  const { Input: inner, ...rest } = (given ?? {}) as Record<string, unknown>;
  const input = typeof inner === 'string' ? inner : JSON.stringify(inner ?? {});
  const resource = { service: 'sfn', action: 'startExecution', optimized: 'states' } as const;
  return run.tasks.sdk(resource, { ...rest, Input: input }, run.roleArn);
}
