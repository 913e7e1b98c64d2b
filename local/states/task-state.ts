import { StateFailure } from './states-error';
import { type TaskResource, taskResourceOf } from './tasks';
import type { Interpretation, Visit } from './visit';

type Evaluate = (template: unknown, extra?: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** https://docs.aws.amazon.com/step-functions/latest/dg/state-task.html */
export async function runTask(run: Interpretation, visit: Visit, evaluate: Evaluate): Promise<unknown> {
  const { state, frame } = visit;
  const resource = taskResourceOf(String(state.Resource)) as TaskResource;
  const { branch } = frame;
  const names = eventNames(resource);
  const waits = resource.pattern === 'waitForTaskToken';
  let beaten: () => void = () => {};
  const callback = waits ? run.tokens.issue(() => beaten()) : undefined;
  if (callback !== undefined) visit.context = { ...visit.context, Task: { Token: callback.token } };
  try {
    const input = state.Arguments === undefined ? visit.input : await evaluate(state.Arguments);
    const timeout =
      state.TimeoutSeconds === undefined ? undefined : Number(await evaluate(state.TimeoutSeconds));
    const heartbeat =
      state.HeartbeatSeconds === undefined ? undefined : Number(await evaluate(state.HeartbeatSeconds));
    branch.lastEvent = run.history.add(names.scheduled, branch.lastEvent, [
      'taskScheduledEventDetails',
      {
        resourceType: resource.service,
        resource: resource.action,
        region: run.region,
        parameters: JSON.stringify(input),
        ...(timeout === undefined ? {} : { timeoutInSeconds: timeout }),
      },
    ]);
    branch.lastEvent = run.history.add(names.started, branch.lastEvent);
    const limit = deadline(visit, timeout, heartbeat);
    beaten = limit.beat;
    try {
      const called = branch.working(perform(run, visit, resource, input));
      let result = await (limit.over === undefined ? called : Promise.race([called, limit.over]));
      if (callback !== undefined) {
        branch.lastEvent = run.history.add('TaskSubmitted', branch.lastEvent);
        const waiting =
          limit.over === undefined ? callback.result : Promise.race([callback.result, limit.over]);
        result = await branch.awaiting(waiting);
      }
      branch.lastEvent = run.history.add(names.succeeded, branch.lastEvent, [
        'taskSucceededEventDetails',
        { resourceType: resource.service, resource: resource.action, output: JSON.stringify(result) },
      ]);
      return result;
    } finally {
      limit.cancel();
    }
  } catch (error) {
    if (error instanceof StateFailure && !error.error.startsWith('States.Query'))
      branch.lastEvent = run.history.add(
        error.error === 'States.Timeout' ? names.timedOut : names.failed,
        branch.lastEvent,
        [
          error.error === 'States.Timeout' ? 'taskTimedOutEventDetails' : 'taskFailedEventDetails',
          {
            resourceType: resource.service,
            resource: resource.action,
            error: error.error,
            cause: error.reason,
          },
        ],
      );
    throw error;
  } finally {
    callback?.close();
  }
}

async function perform(
  run: Interpretation,
  visit: Visit,
  resource: TaskResource,
  input: unknown,
): Promise<unknown> {
  const given = (input ?? {}) as Record<string, unknown>;
  if (resource.kind === 'lambda-arn')
    return (await run.tasks.lambda(String(visit.state.Resource), input, run.roleArn)).payload;
  if (resource.kind === 'lambda-invoke') {
    const { payload, requestId } = await run.tasks.lambda(
      String(given['FunctionName']),
      given['Payload'],
      run.roleArn,
    );
    return {
      ExecutedVersion: '$LATEST',
      Payload: payload,
      SdkHttpMetadata: { HttpStatusCode: 200 },
      SdkResponseMetadata: { RequestId: requestId },
      StatusCode: 200,
    };
  }
  if (resource.kind === 'start-execution') {
    const { Input: inner, ...rest } = given;
    const request = { ...rest, input: typeof inner === 'string' ? inner : JSON.stringify(inner ?? {}) };
    const started = (await run.tasks.sdk('sfn', 'startExecution', lowerNames(request), run.roleArn)) as {
      executionArn: string;
    };
    if (!resource.pattern.startsWith('sync'))
      return {
        ExecutionArn: started.executionArn,
        StartDate: (started as Record<string, unknown>)['startDate'],
      };
    const ended = await visit.frame.branch.awaiting(run.ended(started.executionArn));
    if (ended.status !== 'SUCCEEDED') throw new StateFailure('States.TaskFailed', JSON.stringify(ended));
    const output = ended.output ?? '';
    return { ...ended, Output: resource.pattern === 'sync:2' ? JSON.parse(output) : output };
  }
  return run.tasks.sdk(resource.service, resource.action, input, run.roleArn);
}

/** The SDK names the fields of Step Functions in lower case. */
function lowerNames(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.charAt(0).toLowerCase() + name.slice(1), inner]),
  );
}

/** Rejects when the task takes too long, or its heartbeat fails to come. */
function deadline(visit: Visit, timeout: number | undefined, heartbeat: number | undefined) {
  if (timeout === undefined && heartbeat === undefined)
    return { over: undefined, beat: () => {}, cancel: () => {} };
  let reject: (failure: StateFailure) => void = () => {};
  const over = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  over.catch(() => {});
  const { branch } = visit.frame;
  const arm = (seconds: number | undefined, error: string) =>
    seconds === undefined
      ? undefined
      : branch.timer(seconds * 1000, () =>
          reject(new StateFailure(error, `State '${visit.name}' took longer than ${seconds} s.`)),
        );
  const whole = arm(timeout, 'States.Timeout');
  let beat = arm(heartbeat, 'States.HeartbeatTimeout');
  return {
    over,
    beat: () => {
      beat?.cancel();
      beat = arm(heartbeat, 'States.HeartbeatTimeout');
    },
    cancel: () => {
      whole?.cancel();
      beat?.cancel();
    },
  };
}

function eventNames({ kind }: TaskResource) {
  const prefix = kind === 'lambda-arn' ? 'LambdaFunction' : 'Task';
  return {
    scheduled: `${prefix}Scheduled`,
    started: `${prefix}Started`,
    succeeded: `${prefix}Succeeded`,
    failed: `${prefix}Failed`,
    timedOut: `${prefix}TimedOut`,
  };
}
