/**
 * The part that order lines and stock document lines share: an item, and the unit of the quantity.
 * `orders/line-fields.ts` and `stock/line-fields.ts` add the other fields.
 */
import { type StockroomError, inactiveReference, invalidField } from '../kernel/errors.ts';
import { getDistinctIds, getReferencedRows, getRowsById } from '../kernel/rows.ts';
import type { ReadTx } from '../tables.ts';
import type { ItemRecord, UnitRecord } from './records.ts';

/** Items and units by id. Ids without a record are missing. */
export interface LineCatalog {
  readonly items: ReadonlyMap<string, ItemRecord>;
  readonly units: ReadonlyMap<string, UnitRecord>;
}

/** A line, or what a request body says about one. */
interface ItemLine {
  readonly itemId?: string | null | undefined;
  readonly unitId?: string | null | undefined;
}

/** The items and units of these lines, with the units of the items and `otherUnitIds`: two reads, however many lines there are. */
export async function loadLineCatalog(
  tx: ReadTx,
  lines: readonly ItemLine[],
  otherUnitIds: readonly (string | null)[] = [],
): Promise<LineCatalog> {
  const items = await getReferencedRows(tx.items, lines, ({ itemId }) => itemId);
  const ownUnitIds = [...items.values()].map(({ unitId }) => unitId);
  const unitIds = getDistinctIds([...lines.map(({ unitId }) => unitId), ...ownUnitIds, ...otherUnitIds]);
  return { items, units: await getRowsById(tx.units, unitIds) };
}

/**
 * The item of a line: the one that the body names, else the one of `before`. `checkNewItem` checks an item that the line does not have
 * yet; a line keeps the item that it has, even if that has become inactive (D-20). Undefined: the line names no item.
 */
export function findLineItem(
  { items }: LineCatalog,
  wanted: ItemLine,
  before: ItemLine | undefined,
  checkNewItem: (item: ItemRecord) => void,
  path: string,
): ItemRecord | undefined {
  const id = wanted.itemId === undefined ? before?.itemId : wanted.itemId;
  if (id === null || id === undefined) return undefined;
  const item = items.get(id);
  if (!item) throw invalidField(path, `${path}: there is no item ${id}; GET /v1/items lists the valid ids`);
  if (before?.itemId !== id) checkNewItem(item);
  return item;
}

/** 400: a line without an item. */
export const missingItem = (path: string): StockroomError => invalidField(path, `${path} is required`, 'required');

/** 409: a line gets an inactive item. */
export const inactiveItem = ({ id, name }: ItemRecord, path: string): StockroomError =>
  inactiveReference(`Item ${name}`, { itemId: id }, path);

/**
 * The unit of a line. `same` is the line before the change if it keeps its item: an omitted unit stays as it was there. A line with another
 * item, or with the unit null in place of a unit, gets the default. An inactive unit is refused unless it is one of those two.
 */
export function findLineUnit(
  { units }: LineCatalog,
  { unitId }: ItemLine,
  same: { readonly unitId: string | null } | undefined,
  defaultUnit: UnitRecord | null,
  path: string,
): UnitRecord | null {
  const before = same && (same.unitId === null ? null : (units.get(same.unitId) ?? null));
  if (unitId === undefined) return before === undefined ? defaultUnit : before;
  if (unitId === null) return before === null ? null : defaultUnit;
  const unit = units.get(unitId);
  if (!unit) throw invalidField(path, `${path}: there is no unit ${unitId}`);
  if (!unit.isActive && unit !== before && unit !== defaultUnit) throw inactiveReference(`Unit ${unit.symbol}`, { unitId }, path);
  return unit;
}
