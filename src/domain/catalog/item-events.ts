/** Audit rows and events of items. */
import { type Change, recordChange } from '../events/changes.ts';
import type { Context } from '../kernel/context.ts';
import type { ItemRecord } from './records.ts';
import type { Tx } from '../tables.ts';

/** Records a change of an item, its ingredients or its suppliers. `extraData` is added to the data of the event. */
export async function recordItemChange(
  tx: Tx,
  context: Context,
  action: string,
  item: ItemRecord,
  changedFields: readonly string[],
  audit: Pick<Change, 'changes' | 'metadata'> = {},
  extraData: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const event = buildItemEvent('inventory.item.updated', item, changedFields);
  await recordChange(tx, context, {
    action,
    resourceType: 'item',
    resourceId: item.id,
    ...audit,
    event: { ...event, data: { ...event.data, ...extraData } },
  });
}

/** The event of an item, with the data that all item events have (D-23). */
export function buildItemEvent(name: 'inventory.item.created' | 'inventory.item.updated', item: ItemRecord, changes: readonly string[]) {
  const { sku, itemType, isActive, updatedAt } = item;
  return { name, resourceId: item.id, updatedAt, changes, data: { name: item.name, sku, itemType, isActive } };
}
