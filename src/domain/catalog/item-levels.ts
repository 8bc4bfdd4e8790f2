/** The fields of an item that its stock levels repeat, so that a list of levels filters, sorts and searches without reading items. */
import type { ReadTx, Tx } from '../tables.ts';
import type { ItemRecord } from './records.ts';

const REPEATED_FIELDS = ['name', 'sku', 'itemType', 'categoryId', 'unitId'] as const satisfies readonly (keyof ItemRecord)[];
export type LevelItem = Pick<ItemRecord, (typeof REPEATED_FIELDS)[number]>;

/** The item's fields in a level. The `listed` ones are null on an idle level, so that one index answers a filtered list. */
export function toLevelItemFields({ name, sku, itemType, categoryId, unitId }: LevelItem, isIdle: boolean) {
  const listedItemType = isIdle ? null : itemType;
  const listedCategoryId = isIdle ? null : categoryId;
  return { name, sku, itemType, categoryId, unitId, listedItemType, listedCategoryId };
}

/** Copies changed fields of an item to its levels. This does not count as a change of the level: `updatedAt` stays. */
export async function updateLevelsOfItem(tx: Tx, before: ItemRecord, item: ItemRecord): Promise<void> {
  if (REPEATED_FIELDS.every((field) => before[field] === item[field])) return;
  // A combo is never in stock, and an item with anything in stock cannot become one.
  if (item.itemType === 'combo') {
    await removeLevels(tx, item.id);
    return;
  }
  for (const level of await listLevels(tx, item.id)) {
    await tx.stockLevels.put({ ...level, ...toLevelItemFields(item, level.isIdle) });
  }
}

/** Removes the levels of an item. The caller has checked that they count nothing. */
export async function removeLevels(tx: Tx, itemId: string): Promise<void> {
  for (const { id } of await listLevels(tx, itemId)) await tx.stockLevels.remove(id);
}

/** The levels of an item: at most one per site. */
export async function listLevels(tx: ReadTx, itemId: string) {
  return (await tx.stockLevels.listAfter({ where: [{ field: 'itemId', equals: itemId }], limit: MAX_SITES })).rows;
}

// More sites than a tenant has.
const MAX_SITES = 100_000;
