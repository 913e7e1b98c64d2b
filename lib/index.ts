export { AlarmKind, AlarmOptions, AlarmProfile, AlarmThresholds } from './constructs/alarm-options';
export { DeadLetterAlarms, DeadLetterAlarmsProps } from './constructs/dead-letter-alarms';
export { DeadLetterChecks, DeadLetterChecksProps } from './constructs/dead-letter-checks';
export { DeadLetterDashboard, DeadLetterDashboardProps } from './constructs/dead-letter-dashboard';
export { FailureStore, FailureStoreProps } from './constructs/failure-store';
export { IdempotencyTable, IdempotencyTableProps } from './constructs/idempotency-table';
export { NodeConsumer } from './constructs/node-consumer';
export { OperatorAccess, OperatorAccessProps } from './constructs/operator-access';
export { RecoverableQueue } from './constructs/recoverable-queue';
export { RecoverableQueueBase } from './constructs/recoverable-queue-base';
export { IRecoverableQueue } from './constructs/recoverable-queue-interface';
export {
  ConsumerMappingOptions,
  ExistingQueuesProps,
  ProvisionedPollers,
  RecoverableQueueOptions,
  RecoverableQueueProps,
} from './constructs/recoverable-queue-props';
export {
  RedriveQueueProps,
  RedriveStateMachine,
  RedriveStateMachineProps,
} from './constructs/redrive-state-machine';
export { SharedDeadLetterQueue, SharedDeadLetterQueueProps } from './constructs/shared-dead-letter-queue';
