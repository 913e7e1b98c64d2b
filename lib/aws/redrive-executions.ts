import {
  ExecutionAlreadyExists,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import type { Executions } from '../operations/redrive-ports';

/** The state machine that carries runs out. */
export class StepFunctionsExecutions implements Executions {
  constructor(
    private readonly client: SFNClient,
    private readonly stateMachineArn: string,
  ) {}

  async start(runId: string, name: string): Promise<string> {
    try {
      const { executionArn } = await this.client.send(
        new StartExecutionCommand({
          stateMachineArn: this.stateMachineArn,
          name,
          input: JSON.stringify({ runId }),
        }),
      );
      return executionArn ?? '';
    } catch (error) {
      // Asked for twice: it runs.
      if (error instanceof ExecutionAlreadyExists)
        return this.stateMachineArn.replace(':stateMachine:', ':execution:').concat(':', name);
      throw error;
    }
  }

  async wake(taskToken: string): Promise<void> {
    try {
      await this.client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' }));
    } catch (error) {
      // It woke by itself.
      if (!(error instanceof TaskDoesNotExist || error instanceof TaskTimedOut)) throw error;
    }
  }
}
