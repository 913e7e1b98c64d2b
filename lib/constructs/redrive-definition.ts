/** ARNs of the functions that carry out the steps. */
export interface StepFunctions {
  readonly preflight: string;
  readonly move: string;
  readonly judge: string;
  readonly pause: string;
  readonly settle: string;
  readonly fail: string;
}

/**
 * After so many rounds a successor execution takes over: about 20 history events a round and lane, of 25,000.
 * https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
 */
const ROUNDS = 400;
/** A paused run outlives a fortnight of absence. */
const PAUSE_SECONDS = 14 * 24 * 3600;

const RETRY = [
  {
    ErrorEquals: [
      'Lambda.ServiceException',
      'Lambda.AWSLambdaException',
      'Lambda.SdkClientException',
      'Lambda.TooManyRequestsException',
      'Lambda.Unknown',
      'States.TaskFailed',
    ],
    IntervalSeconds: 2,
    MaxAttempts: 6,
    BackoffRate: 2,
    JitterStrategy: 'FULL',
  },
];

const CATCH = [
  {
    ErrorEquals: ['States.ALL'],
    Assign: { error: '{% $states.errorOutput.Error %}', cause: '{% $states.errorOutput.Cause %}' },
    Next: 'CloseFailedRun',
  },
];

function invoke(functionArn: string, payload: Record<string, unknown>): Record<string, unknown> {
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: { FunctionName: functionArn, Payload: payload },
    Retry: RETRY,
    Catch: CATCH,
  };
}

/** The state machine of a redrive in JSONata. Counts and names only: no body enters the state. */
export function redriveDefinition(step: StepFunctions): Record<string, unknown> {
  return {
    Comment: 'cdk-redrive: plan, preflight, canary, ramp at a rate, settle',
    QueryLanguage: 'JSONata',
    StartAt: 'Preflight',
    States: {
      Preflight: {
        ...invoke(step.preflight, {
          runId: '{% $states.input.runId %}',
          executionArn: '{% $states.context.Execution.Id %}',
        }),
        Assign: {
          runId: '{% $states.input.runId %}',
          rounds: 0,
          admitted: '{% $states.result.Payload.admitted %}',
          lanes: '{% $states.result.Payload.lanes %}',
        },
        Next: 'Admitted?',
      },
      'Admitted?': {
        Type: 'Choice',
        Choices: [{ Condition: '{% $admitted %}', Next: 'Move' }],
        Default: 'Ended',
      },
      Move: {
        Type: 'Map',
        Items: '{% [0..$lanes - 1] %}',
        ItemSelector: {
          runId: '{% $runId %}',
          lane: '{% $states.context.Map.Item.Value %}',
          lanes: '{% $lanes %}',
        },
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'MoveSlice',
          States: {
            MoveSlice: {
              Type: 'Task',
              Resource: 'arn:aws:states:::lambda:invoke',
              Arguments: { FunctionName: step.move, Payload: '{% $states.input %}' },
              Output: '{% $states.result.Payload %}',
              Retry: RETRY,
              End: true,
            },
          },
        },
        Assign: {
          empty: '{% $not(false in $states.result.empty) %}',
          seconds: '{% $max($states.result.seconds) %}',
        },
        Catch: CATCH,
        Next: 'KeepRate',
      },
      KeepRate: { Type: 'Wait', Seconds: '{% $seconds %}', Next: 'Judge' },
      Judge: {
        ...invoke(step.judge, { runId: '{% $runId %}', empty: '{% $empty %}' }),
        Assign: {
          next: '{% $states.result.Payload.next %}',
          waitSeconds: '{% $states.result.Payload.waitSeconds %}',
          lanes: '{% $states.result.Payload.lanes %}',
          rounds: '{% $rounds + 1 %}',
        },
        Next: 'Verdict',
      },
      Verdict: {
        Type: 'Choice',
        Choices: [
          { Condition: "{% $next = 'settle' %}", Next: 'Settle' },
          { Condition: "{% $next = 'pause' %}", Next: 'Paused' },
          { Condition: "{% $next = 'end' %}", Next: 'Ended' },
          { Condition: "{% $next = 'judge' %}", Next: 'AwaitCanary' },
          { Condition: `{% $rounds * (1 + $lanes / 2) >= ${ROUNDS} %}`, Next: 'HandOver' },
        ],
        Default: 'Move',
      },
      AwaitCanary: { Type: 'Wait', Seconds: '{% $waitSeconds %}', Next: 'Judge' },
      Paused: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
        Arguments: {
          FunctionName: step.pause,
          Payload: { runId: '{% $runId %}', taskToken: '{% $states.context.Task.Token %}' },
        },
        TimeoutSeconds: PAUSE_SECONDS,
        Catch: [{ ErrorEquals: ['RunNotPaused'], Next: 'Move' }, ...CATCH],
        Next: 'Move',
      },
      Settle: {
        ...invoke(step.settle, { runId: '{% $runId %}' }),
        Assign: {
          done: '{% $states.result.Payload.done %}',
          waitSeconds: '{% $states.result.Payload.waitSeconds %}',
          rounds: '{% $rounds + 1 %}',
        },
        Next: 'Settled?',
      },
      'Settled?': {
        Type: 'Choice',
        Choices: [
          { Condition: '{% $done %}', Next: 'Ended' },
          { Condition: `{% $rounds >= ${ROUNDS} %}`, Next: 'HandOver' },
        ],
        Default: 'AwaitOutcomes',
      },
      AwaitOutcomes: { Type: 'Wait', Seconds: '{% $waitSeconds %}', Next: 'Settle' },
      HandOver: {
        Type: 'Task',
        Resource: 'arn:aws:states:::states:startExecution',
        Arguments: {
          StateMachineArn: '{% $states.context.StateMachine.Id %}',
          Input: { runId: '{% $runId %}' },
        },
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 2, MaxAttempts: 6, BackoffRate: 2 }],
        Catch: CATCH,
        Next: 'Ended',
      },
      CloseFailedRun: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Arguments: {
          FunctionName: step.fail,
          Payload: {
            runId: '{% $states.context.Execution.Input.runId %}',
            error: '{% $error %}',
            cause: '{% $substring($cause, 0, 500) %}',
          },
        },
        Retry: RETRY,
        Next: 'Failed',
      },
      Failed: { Type: 'Fail', Error: '{% $error %}', Cause: '{% $cause %}' },
      Ended: { Type: 'Succeed', Output: { runId: '{% $states.context.Execution.Input.runId %}' } },
    },
  };
}
