export type StateType = 'Task' | 'Pass' | 'Choice' | 'Wait' | 'Succeed' | 'Fail' | 'Parallel' | 'Map';

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds?: number;
  readonly MaxAttempts?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL' | 'NONE';
}

export type Assignments = Readonly<Record<string, unknown>>;

export interface Catcher {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
  readonly Output?: unknown;
  readonly Assign?: Assignments;
}

export interface ChoiceRule {
  readonly Condition: unknown;
  readonly Next: string;
  readonly Output?: unknown;
  readonly Assign?: Assignments;
}

/** A state as the definition has it; which fields belong to which type is checked once, when it is created. */
export interface State {
  readonly Type: StateType;
  readonly Next?: string;
  readonly End?: boolean;
  readonly Output?: unknown;
  readonly Assign?: Assignments;
  readonly Arguments?: unknown;
  readonly Resource?: string;
  readonly TimeoutSeconds?: unknown;
  readonly HeartbeatSeconds?: unknown;
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly Catcher[];
  readonly Choices?: readonly ChoiceRule[];
  readonly Default?: string;
  readonly Seconds?: unknown;
  readonly Timestamp?: unknown;
  readonly Error?: unknown;
  readonly Cause?: unknown;
  readonly Branches?: readonly StateGraph[];
  readonly Items?: unknown;
  readonly ItemSelector?: unknown;
  readonly ItemBatcher?: ItemBatcher;
  readonly ItemProcessor?: ItemProcessor;
  readonly MaxConcurrency?: unknown;
  readonly ToleratedFailureCount?: unknown;
  readonly ToleratedFailurePercentage?: unknown;
}

export interface ItemBatcher {
  readonly MaxItemsPerBatch?: unknown;
  readonly MaxInputBytesPerBatch?: unknown;
  readonly BatchInput?: unknown;
}

export interface StateGraph {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

export interface ItemProcessor extends StateGraph {
  readonly ProcessorConfig?: { readonly Mode?: 'INLINE' | 'DISTRIBUTED'; readonly ExecutionType?: string };
}

export interface Definition extends StateGraph {
  readonly Comment?: string;
  readonly QueryLanguage?: string;
  readonly TimeoutSeconds?: number;
}

export class InvalidDefinition extends Error {
  override readonly name = 'InvalidDefinition';
}

export function isDistributed({ ItemProcessor: processor }: State): boolean {
  return processor?.ProcessorConfig?.Mode === 'DISTRIBUTED';
}

/** Where a state can go, by every field that names another. */
export function targetsOf({ Next, Default, Choices, Catch }: State): string[] {
  return [
    Next,
    Default,
    ...(Choices ?? []).map((rule) => rule.Next),
    ...(Catch ?? []).map((rule) => rule.Next),
  ].filter((target): target is string => target !== undefined);
}

/** Every variable that a state can set. */
export function assignedBy({ Assign, Choices, Catch }: State): string[] {
  return [Assign, ...(Choices ?? []).map((rule) => rule.Assign), ...(Catch ?? []).map((rule) => rule.Assign)]
    .filter((assign) => assign !== undefined)
    .flatMap((assign) => Object.keys(assign));
}

/** Every state of a definition with its name, inner graphs included. */
export function* statesOf(graph: StateGraph): Generator<readonly [string, State]> {
  for (const [name, state] of Object.entries(graph.States)) {
    yield [name, state];
    for (const inner of innerGraphs(state)) yield* statesOf(inner);
  }
}

export function innerGraphs({ Branches, ItemProcessor }: State): StateGraph[] {
  return [...(Branches ?? []), ...(ItemProcessor === undefined ? [] : [ItemProcessor])];
}
