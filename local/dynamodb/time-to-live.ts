import type { DynaliteStore, Item } from './dynalite-store';
import { perform, tableOf } from './dynalite-store';

/**
 * DynamoDB deletes expired items "typically within a few days"; readers must not rely on it (field rule F75).
 * A sweep every six hours keeps that laziness visible.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/howitworks-ttl.html
 */
export const SWEEP_EVERY_MS = 6 * 3_600_000;
const FIVE_YEARS_SECONDS = 5 * 365 * 86_400;

/** Deletes the items whose time is up and answers how many. Values over five years old are left, as AWS does. */
export async function sweepExpired(
  store: DynaliteStore,
  tableName: string,
  attribute: string,
  nowMs: number,
): Promise<number> {
  const table = await tableOf(store, tableName);
  const now = Math.floor(nowMs / 1000);
  const expired: Item[] = [];
  for await (const item of store.getItemDb(tableName).createValueStream({})) {
    const value = Number(item[attribute]?.['N'] ?? Number.NaN);
    if (value <= now && value > now - FIVE_YEARS_SECONDS) expired.push(item);
  }
  for (const item of expired) {
    const Key = Object.fromEntries(table.KeySchema.map(({ AttributeName: name }) => [name, item[name]]));
    await perform(store, 'DeleteItem', { TableName: tableName, Key });
  }
  return expired.length;
}
