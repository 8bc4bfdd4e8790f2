/** What a line of an order or of a stock document refers to: the item and the unit that a body names, or why it cannot be that. */
import { StockroomError, invalidField } from './errors.ts';
import type { ItemRecord } from './items.ts';
import type { UnitRecord } from './settings.ts';

/** The item of this id; it may be inactive. */
export function itemNamed(items: ReadonlyMap<string, ItemRecord>, id: string, path: string): ItemRecord {
  const item = items.get(id);
  if (!item) throw invalidField(path, `${path}: there is no item ${id}; GET /v1/items lists the valid ids`);
  return item;
}

/** The refusal of an item for being inactive. */
export function inactiveItem({ id, name }: ItemRecord, path: string): StockroomError {
  return new StockroomError('INACTIVE_REFERENCE', `${name} is inactive; activate it or choose another itemId.`, {
    details: { itemId: id, path },
  });
}

/** The unit of this id: an active one, or one of those that the line has anyway. */
export function unitNamed(
  units: ReadonlyMap<string, UnitRecord>,
  unitId: string,
  anyway: readonly (UnitRecord | null | undefined)[],
  path: string,
): UnitRecord {
  const unit = units.get(unitId);
  if (!unit) throw invalidField(path, `${path}: there is no unit ${unitId}; 'stockroom units list' shows the valid ids`);
  if (!unit.isActive && !anyway.includes(unit)) {
    throw new StockroomError('INACTIVE_REFERENCE', `Unit ${unit.symbol} is inactive; activate it or choose another unitId.`, {
      details: { unitId, path },
    });
  }
  return unit;
}
