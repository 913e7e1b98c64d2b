import { evaluate } from './expression';
import { checkSize, MAXIMUM_DATA_BYTES, StateFailure } from './states-error';
import { bindingsOf, type Interpretation, type Visit, value } from './visit';

/** What one iteration gets, and `Map.Item` of its context (absent for a batch). */
export interface Iteration {
  readonly input: unknown;
  readonly item?: { readonly Index: number; readonly Value: unknown };
}

/** The array that a Map goes over. */
export async function itemsOf(run: Interpretation, visit: Visit): Promise<readonly unknown[]> {
  const { state, name, input } = visit;
  const items = state.Items === undefined ? input : await value(run, visit, state.Items);
  if (!Array.isArray(items))
    throw new StateFailure('States.QueryEvaluationError', `Items of state '${name}' is not an array.`);
  return items;
}

export function contextOf(visit: Visit, { item }: Iteration): Record<string, unknown> {
  return item === undefined ? visit.context : { ...visit.context, Map: { Item: item } };
}

/** The input of one iteration, through ItemSelector. */
export async function select(
  run: Interpretation,
  visit: Visit,
  value: unknown,
  index: number,
): Promise<Iteration> {
  const { ItemSelector: selector } = visit.state;
  const item = { Index: index, Value: value };
  if (selector === undefined) return { input: value, item };
  const bindings = bindingsOf(run, visit, {}, { ...visit.context, Map: { Item: item } });
  const input = await evaluate(selector, bindings, visit.name);
  checkSize(input, visit.name);
  return { input, item };
}

/** Iterations over batches. https://docs.aws.amazon.com/step-functions/latest/dg/input-output-itembatcher.html */
export async function batch(
  run: Interpretation,
  visit: Visit,
  selected: readonly Iteration[],
): Promise<Iteration[]> {
  const { ItemBatcher: batcher = {} } = visit.state;
  const given = async (template: unknown, most: number): Promise<number> => {
    const limit = template === undefined ? most : await value(run, visit, template);
    if (Number.isInteger(limit) && (limit as number) > 0) return Math.min(limit as number, most);
    throw new StateFailure('States.QueryEvaluationError', `ItemBatcher of state '${visit.name}' is wrong.`);
  };
  const count = await given(batcher.MaxItemsPerBatch, Number.MAX_SAFE_INTEGER);
  const bytes = await given(batcher.MaxInputBytesPerBatch, MAXIMUM_DATA_BYTES);
  const shared = batcher.BatchInput === undefined ? undefined : await value(run, visit, batcher.BatchInput);
  const batches: unknown[][] = [];
  const frame = Buffer.byteLength(JSON.stringify({ BatchInput: shared, Items: [] }));
  let size = Number.POSITIVE_INFINITY;
  for (const { input } of selected) {
    const length = Buffer.byteLength(JSON.stringify(input) ?? '') + 1;
    const last = batches.at(-1);
    if (last === undefined || last.length >= count || size + length > bytes) {
      batches.push([input]);
      size = frame + length;
    } else {
      last.push(input);
      size += length;
    }
  }
  return batches.map((items) => ({
    input: { ...(shared === undefined ? {} : { BatchInput: shared }), Items: items },
  }));
}
