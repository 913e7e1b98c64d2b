import { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { FailureStore } from './failure-store';
import { IdempotencyTable } from './idempotency-table';
import { RedriveStateMachine } from './redrive-state-machine';

/** What the queues of a stack share unless they are given their own: few resources, however many queues. */
function shared<T extends Construct>(scope: Construct, id: string, create: (stack: Stack) => T): T {
  // Nested stacks share what their topmost parent has: they are parts of one stack.
  let stack = Stack.of(scope);
  while (stack.nestedStackParent !== undefined) stack = stack.nestedStackParent;
  return (stack.node.tryFindChild(id) as T | undefined) ?? create(stack);
}

export function sharedFailureStore(scope: Construct): FailureStore {
  return shared(scope, 'RedriveFailureStore', (stack) => new FailureStore(stack, 'RedriveFailureStore'));
}

export function sharedIdempotencyTable(scope: Construct): IdempotencyTable {
  return shared(
    scope,
    'RedriveIdempotencyTable',
    (stack) => new IdempotencyTable(stack, 'RedriveIdempotencyTable'),
  );
}

/** One for each failure store of the stack. */
export function sharedStateMachine(scope: Construct, failureStore: FailureStore): RedriveStateMachine {
  const own = failureStore.node.id === 'RedriveFailureStore';
  const id = own ? 'Redrive' : `Redrive-${failureStore.node.addr.slice(-8)}`;
  return shared(scope, id, (stack) => new RedriveStateMachine(stack, id, { failureStore }));
}

export function sharedAlarmTopic(scope: Construct): Topic {
  return shared(scope, 'RedriveAlarms', (stack) => new Topic(stack, 'RedriveAlarms', { enforceSSL: true }));
}
