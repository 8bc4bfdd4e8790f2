/** Reorder points: the projected quantity at which an item is low at a site. Stored on the level. D-17. */
import { recordChange } from '../events/changes.ts';
import type { Context } from '../kernel/context.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import { fromMicroOrNull, toMicro } from '../kernel/numbers.ts';
import { toLevelResourceId } from './level-events.ts';
import { type LevelKey, toLevelId, openLevelBatch } from './levels.ts';
import type { StockLevelRecord } from './records.ts';
import type { Tx } from '../tables.ts';

export interface ReorderPoint extends LevelKey {
  /** In stock units, as in the API; null if the item is never low. */
  readonly reorderPoint: number | null;
}

/** Sets the reorder point of a level, creating the level if needed. Returns the level. */
export async function setReorderPoint(tx: Tx, context: Context, setting: ReorderPoint): Promise<StockLevelRecord> {
  const { itemId, siteId } = setting;
  const key = { itemId, siteId };
  const item = await tx.items.get(itemId);
  if (!item) throw invalidField('/itemId', `There is no item ${itemId}.`);
  if (item.itemType === 'combo') {
    throw new StockroomError(
      'INVALID_ITEM_TYPE',
      `${item.name} is a combo, which has no stock of its own. Set the reorder points of its parts instead.`,
    );
  }
  if (!(await tx.sites.get(siteId))) {
    throw invalidField('/siteId', `There is no site ${siteId}.`);
  }
  const reorderPoint = setting.reorderPoint === null ? null : toMicro(setting.reorderPoint, '/reorderPoint');
  const levels = openLevelBatch(tx, context);
  await levels.load([key]);
  const before = levels.get(key).reorderPoint;
  const existing = await tx.stockLevels.get(toLevelId(key));
  if (existing && before === reorderPoint) return existing;
  if (!existing && reorderPoint === null) {
    throw invalidField('/reorderPoint', `${item.name} has no reorder point at this site`, 'not_allowed');
  }
  levels.change(key, { reorderPoint });
  await levels.save();
  const row = await tx.stockLevels.get(toLevelId(key));
  if (!row) throw new Error(`level ${toLevelId(key)} was not saved`);
  // The audit row belongs to the item and has the site as metadata. The contract has no webhook event for stock settings.
  await recordChange(tx, context, {
    action: 'item.reorder_point_set',
    resourceType: 'item',
    resourceId: itemId,
    changes: { reorderPoint: { from: fromMicroOrNull(before), to: fromMicroOrNull(reorderPoint) } },
    metadata: { siteId },
    event: {
      name: 'reorder_point.updated',
      resourceId: toLevelResourceId(key),
      updatedAt: row.updatedAt,
      changes: ['reorderPoint'],
      data: { itemId, siteId, reorderPoint: fromMicroOrNull(reorderPoint) },
    },
  });
  return row;
}
