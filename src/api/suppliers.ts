/** Handlers of the suppliers of an item. */
import type { SupplierLink, supplierOperations } from '../contract/resources/suppliers.ts';
import { getContact, requireContact } from '../domain/contacts/contacts.ts';
import type { ContactRecord } from '../domain/contacts/records.ts';
import { checkVersion } from './versions.ts';
import { getReferencedRows } from '../domain/kernel/rows.ts';
import { getItem } from '../domain/catalog/item-rows.ts';
import { termFields } from '../domain/catalog/supplier-terms.ts';
import {
  createSupplierLink,
  deleteSupplierLink,
  getSupplierLink,
  listSupplierLinks,
  updateSupplierLink,
} from '../domain/catalog/suppliers.ts';
import type { SupplierLinkRecord } from '../domain/catalog/records.ts';
import type { ReadTx } from '../domain/tables.ts';
import { type ApiResponse, type Handlers, respondWithRecord } from './handler.ts';
import { presentSupplierRef } from './contacts.ts';
import { type InMemoryList, compareIgnoringCase, paginateRows } from './lists/in-memory-page.ts';

export const supplierHandlers: Handlers<typeof supplierOperations> = {
  async 'items.suppliers.list'({ tx, params, query }) {
    await getItem(tx, params.item_id);
    const links = await listSupplierLinks(tx, params.item_id);
    const contacts = await getReferencedRows(tx.contacts, links, ({ supplierId }) => supplierId);
    return paginateRows(
      query,
      links.map((link) => presentSupplierLink(link, requireContact(contacts.get(link.supplierId), link.supplierId))),
      LIST_SPEC,
    );
  },
  async 'items.suppliers.create'({ tx, context, params, body }) {
    const link = await createSupplierLink(tx, context, params.item_id, body);
    return toResponse(tx, link, `/v1/items/${link.itemId}/suppliers/${link.supplierId}`);
  },
  async 'items.suppliers.update'({ tx, context, params: { item_id: itemId, supplier_id: supplierId }, body, ifMatch }) {
    checkVersion(ifMatch, (await getSupplierLink(tx, itemId, supplierId)).updatedAt);
    return toResponse(tx, await updateSupplierLink(tx, context, itemId, supplierId, body));
  },
  async 'items.suppliers.delete'({ tx, context, params: { item_id: itemId, supplier_id: supplierId }, ifMatch }) {
    checkVersion(ifMatch, (await getSupplierLink(tx, itemId, supplierId)).updatedAt);
    await deleteSupplierLink(tx, context, itemId, supplierId);
  },
};

const compareText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
const LIST_SPEC: InMemoryList<SupplierLink> = {
  getId: ({ supplierId }) => supplierId,
  getSearchTexts: ({ supplier }) => [supplier.name],
  compare: {
    is_preferred: (a, b) => Number(a.isPreferred) - Number(b.isPreferred),
    name: (a, b) => compareIgnoringCase(a.supplier.name, b.supplier.name),
    created_at: (a, b) => compareText(a.createdAt, b.createdAt),
    updated_at: (a, b) => compareText(a.updatedAt, b.updatedAt),
  },
};

async function toResponse(tx: ReadTx, link: SupplierLinkRecord, location?: string): Promise<ApiResponse<{ data: SupplierLink }>> {
  const data = presentSupplierLink(link, await getContact(tx, link.supplierId));
  return respondWithRecord(link, { data }, location);
}

function presentSupplierLink(link: SupplierLinkRecord, contact: ContactRecord): SupplierLink {
  const { itemId, supplierId, isPreferred, createdAt, updatedAt } = link;
  return { itemId, supplierId, ...termFields.toWire(link), isPreferred, createdAt, updatedAt, supplier: presentSupplierRef(contact) };
}
