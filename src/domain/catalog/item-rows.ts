/** Reads and updates item rows for ingredients and supplier links, which belong to an item. */
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { notFound } from '../kernel/errors.ts';
import type { ReadTx, Tx } from '../tables.ts';
import type { ItemRecord } from './records.ts';

export async function getItem(tx: ReadTx, id: string): Promise<ItemRecord> {
  const item = await tx.items.get(id);
  if (!item) throw notFound('item', id);
  return item;
}

/**
 * Stores the item with a new updatedAt and, if given, another supplier.
 * A change of ingredients or suppliers changes the item, so that a client that syncs by `updated_since` sees it.
 */
export async function touchItem(
  tx: Tx,
  context: Context,
  before: ItemRecord,
  fields: Partial<Pick<ItemRecord, 'supplierId'>> = {},
): Promise<ItemRecord> {
  const item: ItemRecord = { ...before, ...fields, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await tx.items.put(item);
  return item;
}
