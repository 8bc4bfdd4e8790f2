/** An item as the things that belong to it see it: its record, and how a change of theirs becomes a change of the item. */
import { type Change, note } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { notFound } from './errors.ts';
import type { ItemRecord } from './items.ts';
import type { ReadTx, Tx } from './tables.ts';

export async function getItem(tx: ReadTx, id: string): Promise<ItemRecord> {
  const item = await tx.items.get(id);
  if (!item) throw notFound('item', id);
  return item;
}

/**
 * The item with a later updatedAt, and perhaps another supplier.
 * ours: a change of ingredients or suppliers is a change of the item, so that a client that syncs by `updated_since` sees it.
 */
export async function touchItem(
  tx: Tx,
  context: Context,
  before: ItemRecord,
  fields: Partial<Pick<ItemRecord, 'supplierId'>> = {},
): Promise<ItemRecord> {
  const item: ItemRecord = { ...before, ...fields, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await tx.items.put(item);
  return item;
}

/** Audit row and event of a change that touches an item or something that belongs to it. */
export async function noteItem(
  tx: Tx,
  context: Context,
  action: string,
  item: ItemRecord,
  changed: readonly string[],
  audit: Pick<Change, 'changes' | 'metadata'> = {},
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const event = itemEvent('inventory.item.updated', item, changed);
  await note(tx, context, {
    action,
    resourceType: 'item',
    resourceId: item.id,
    ...audit,
    event: { ...event, data: { ...event.data, ...more } },
  });
}

/** The event of an item with the fields every one of them carries (§7). */
export function itemEvent(name: 'inventory.item.created' | 'inventory.item.updated', item: ItemRecord, changes: readonly string[]) {
  const { sku, itemType, isActive, updatedAt } = item;
  return { name, resourceId: item.id, changes, data: { name: item.name, sku, itemType, isActive, updatedAt } };
}
