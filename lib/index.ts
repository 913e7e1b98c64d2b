export { DeadLetterAlarms, DeadLetterAlarmsProps } from './constructs/dead-letter-alarms';
export { DeadLetterChecks, DeadLetterChecksProps } from './constructs/dead-letter-checks';
export { FailureStore, FailureStoreProps } from './constructs/failure-store';
export { IdempotencyTable, IdempotencyTableProps } from './constructs/idempotency-table';
export { NodeConsumer } from './constructs/node-consumer';
export { RecoverableQueue } from './constructs/recoverable-queue';
export { IRecoverableQueue } from './constructs/recoverable-queue-interface';
export {
  AlarmProfile,
  ConsumerMappingOptions,
  RecoverableQueueProps,
} from './constructs/recoverable-queue-props';
export {
  RedriveQueueProps,
  RedriveStateMachine,
  RedriveStateMachineProps,
} from './constructs/redrive-state-machine';
