import type { Execution } from './executions';
import { detailsField, type HistoryEvent } from './history';
import type { StateMachine } from './machines';

type Answer = Record<string, unknown>;

/** Details that are kept as values and are JSON text in the API. */
const DATA = ['input', 'output', 'parameters'];

export function describeExecution(execution: Execution): Answer {
  const { input, output, error, cause } = execution;
  return {
    ...summaryOf(execution),
    input,
    inputDetails: { included: true },
    ...(output === undefined ? {} : { output, outputDetails: { included: true } }),
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
  };
}

export function summaryOf({ arn, name, machine, status, startedAt, stoppedAt }: Execution): Answer {
  return {
    executionArn: arn,
    stateMachineArn: machine.arn,
    name,
    status,
    startDate: startedAt / 1000,
    ...(stoppedAt === undefined ? {} : { stopDate: stoppedAt / 1000 }),
  };
}

export function describeMachine({ arn, name, text, roleArn, type, createdAt }: StateMachine): Answer {
  return {
    stateMachineArn: arn,
    name,
    status: 'ACTIVE',
    definition: text,
    roleArn,
    type,
    creationDate: createdAt / 1000,
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
    tracingConfiguration: { enabled: false },
  };
}

/** `includeData` false leaves inputs and outputs out. */
export function describeEvent(event: HistoryEvent, includeData: boolean): Answer {
  const { id, previousEventId, timestamp, type, details } = event;
  const content: Answer = {};
  for (const [name, value] of Object.entries(details ?? {}))
    if (!DATA.includes(name)) content[name] = value;
    else if (includeData || name === 'parameters') {
      content[name] = JSON.stringify(value) ?? 'null';
      if (name !== 'parameters') content[`${name}Details`] = { truncated: false };
    }
  return {
    id,
    previousEventId,
    timestamp: timestamp / 1000,
    type,
    ...(details === undefined ? {} : { [detailsField(type)]: content }),
  };
}
