/** The records that the lines of an order reference, loaded in a few reads regardless of the number of lines. */
import type { LinePatch } from '../../contract/resources/order-lines.ts';
import { type LineCatalog, loadLineCatalog } from '../catalog/item-lines.ts';
import type { SupplierLinkRecord } from '../catalog/records.ts';
import { toSupplierLinkId } from '../catalog/suppliers.ts';
import { getDistinctIds, getReferencedRows } from '../kernel/rows.ts';
import type { SiteRecord } from '../tenancy/records.ts';
import type { ReadTx } from '../tables.ts';
import type { OrderLineRecord, OrderRecord } from './records.ts';

export interface LineReferences extends LineCatalog {
  /** On buy orders: the terms of the order's contact as a supplier, by item. */
  readonly links: ReadonlyMap<string, SupplierLinkRecord>;
  /** The sites that lines name. */
  readonly sites: ReadonlyMap<string, SiteRecord>;
}

/** Loads everything that `patches` reference. `before` are the existing lines of the order by id. */
export async function loadLineReferences(
  tx: ReadTx,
  order: Pick<OrderRecord, 'module' | 'contactId'>,
  before: ReadonlyMap<string, OrderLineRecord>,
  patches: readonly LinePatch[],
): Promise<LineReferences> {
  const existing = patches.map(({ id }) => (id === undefined ? undefined : before.get(id))).filter((line) => line !== undefined);
  const lines = [...patches, ...existing];
  const [links, sites] = await Promise.all([
    order.module === 'buy' ? loadLinks(tx, order.contactId, getDistinctIds(lines.map(({ itemId }) => itemId))) : [],
    getReferencedRows(tx.sites, patches, ({ siteId }) => siteId),
  ]);
  const purchaseUnitIds = links.map((link) => link.purchaseUnitId);
  return { ...(await loadLineCatalog(tx, lines, purchaseUnitIds)), links: new Map(links.map((link) => [link.itemId, link])), sites };
}

async function loadLinks(tx: ReadTx, contactId: string, itemIds: readonly string[]): Promise<SupplierLinkRecord[]> {
  if (itemIds.length === 0) return [];
  const links = await tx.supplierLinks.getMany(itemIds.map((itemId) => toSupplierLinkId(itemId, contactId)));
  return links.filter((link) => link !== undefined);
}
