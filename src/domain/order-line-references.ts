/** The records that the lines of one order refer to, fetched in a few calls however many lines there are. */
import type { LinePatch } from '../contract/order-lines.ts';
import type { ItemRecord } from './items.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import type { UnitRecord } from './settings.ts';
import { type SupplierLinkRecord, supplierLinkId } from './suppliers.ts';
import type { ReadTx } from './tables.ts';

export interface LineReferences {
  readonly items: ReadonlyMap<string, ItemRecord>;
  readonly units: ReadonlyMap<string, UnitRecord>;
  /** On buy orders: what the order's contact says about an item, by item. */
  readonly links: ReadonlyMap<string, SupplierLinkRecord>;
}

/** Everything that is needed to fill in `wanted`; ids that lead nowhere are simply not there. */
export async function lineReferences(
  tx: ReadTx,
  order: Pick<OrderRecord, 'module' | 'contactId'>,
  before: ReadonlyMap<string, OrderLineRecord>,
  wanted: readonly LinePatch[],
): Promise<LineReferences> {
  const known = wanted.map(({ id }) => (id === undefined ? undefined : before.get(id)));
  const itemIds = distinct([...wanted.map((line) => line.itemId), ...known.map((line) => line?.itemId)]);
  const items = await byId(tx.items, itemIds);
  const linkIds = order.module === 'buy' ? itemIds.map((id) => supplierLinkId(id, order.contactId)) : [];
  const links = linkIds.length > 0 ? (await tx.supplierLinks.getMany(linkIds)).filter((link) => link !== undefined) : [];
  const unitIds = [
    ...wanted.map((line) => line.unitId),
    ...known.map((line) => line?.unitId),
    ...[...items.values()].map((item) => item.unitId),
    ...links.map((link) => link.purchaseUnitId),
  ];
  return { items, units: await byId(tx.units, distinct(unitIds)), links: new Map(links.map((link) => [link.itemId, link])) };
}

const distinct = (ids: readonly (string | null | undefined)[]): string[] => [...new Set(ids.filter((id) => typeof id === 'string'))];

/** The rows with these ids by their id. */
export async function byId<R extends { readonly id: string }>(
  table: { getMany(ids: readonly string[]): Promise<(R | undefined)[]> },
  ids: readonly string[],
): Promise<Map<string, R>> {
  if (ids.length === 0) return new Map();
  const rows = (await table.getMany(ids)).filter((row) => row !== undefined);
  return new Map(rows.map((row) => [row.id, row]));
}
