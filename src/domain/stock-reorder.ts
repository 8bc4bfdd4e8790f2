/** Reorder points: from which quantity on an item is low at a site. A setting of the level's row, not a movement. D-17. */
import { note } from './changes.ts';
import type { Context } from './context.ts';
import { StockroomError, invalidField } from './errors.ts';
import { fromMicro, toMicro } from './numbers.ts';
import { type Place, levelId, openLevels } from './stock-levels.ts';
import type { StockLevelRecord } from './stock-records.ts';
import type { Tx } from './tables.ts';

export interface ReorderPoint extends Place {
  /** Stock units as on the wire; null: never low. */
  readonly reorderPoint: number | null;
}

/** Sets it and returns the row, which is made when there is none yet; null where there is none makes none. */
export async function setReorderPoint(tx: Tx, context: Context, setting: ReorderPoint): Promise<StockLevelRecord> {
  const { itemId, siteId } = setting;
  const place = { itemId, siteId };
  const item = await tx.items.get(itemId);
  if (!item) throw invalidField('/itemId', `There is no item ${itemId}; 'stockroom items list' shows the valid ids.`);
  if (item.itemType === 'combo') {
    throw new StockroomError('INVALID_ITEM_TYPE', `${item.name} is a combo and never in stock: set reorder points of its parts instead.`);
  }
  if (!(await tx.sites.get(siteId))) {
    throw invalidField('/siteId', `There is no site ${siteId}; 'stockroom sites list' shows the valid ids.`);
  }
  const reorderPoint = setting.reorderPoint === null ? null : toMicro(setting.reorderPoint, '/reorderPoint');
  const levels = openLevels(tx, context);
  await levels.load([place]);
  const before = levels.get(place).reorderPoint;
  const present = await tx.stockLevels.get(levelId(place));
  if (present && before === reorderPoint) return present;
  if (!present && reorderPoint === null) {
    throw invalidField('/reorderPoint', `${item.name} has no reorder point at this site, so there is none to remove.`, 'not_allowed');
  }
  levels.change(place, { reorderPoint });
  await levels.save();
  const wire = (value: number | null) => (value === null ? null : fromMicro(value));
  // ours: the audit row is the item's, with the site in it; no event, because none of the contract's tells of settings of stock.
  await note(tx, context, {
    action: 'item.reorder_point_set',
    resourceType: 'item',
    resourceId: itemId,
    changes: { reorderPoint: { from: wire(before), to: wire(reorderPoint) } },
    metadata: { siteId },
  });
  const row = await tx.stockLevels.get(levelId(place));
  if (!row) throw new Error(`the level ${levelId(place)} was not saved`);
  return row;
}
