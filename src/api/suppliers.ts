import type { SupplierLink, supplierOperations } from '../contract/suppliers.ts';
import { type ContactRecord, getContact } from '../domain/contacts.ts';
import { checkVersion, getItem } from '../domain/items.ts';
import { wireTerms } from '../domain/supplier-terms.ts';
import { type SupplierLinkRecord, createSupplier, deleteSupplier, getLink, linksOf, updateSupplier } from '../domain/suppliers.ts';
import type { ReadTx } from '../domain/tables.ts';
import { Answer, type Handlers, etagOf } from './call.ts';
import { presentSupplierRef } from './contacts.ts';
import { type RowList, compareFolded, pageOfRows } from './rows.ts';

export const supplierHandlers: Handlers<typeof supplierOperations> = {
  async 'items.suppliers.list'({ tx, params, query }) {
    await getItem(tx, params.item_id);
    const links: SupplierLink[] = [];
    for (const link of await linksOf(tx, params.item_id)) links.push(present(link, await getContact(tx, link.supplierId)));
    return pageOfRows(query, links, LIST);
  },
  async 'items.suppliers.create'({ tx, context, params, body }) {
    const link = await createSupplier(tx, context, params.item_id, body);
    return answer(tx, link, `/v1/items/${link.itemId}/suppliers/${link.supplierId}`);
  },
  async 'items.suppliers.update'({ tx, context, params: { item_id: itemId, supplier_id: supplierId }, body, ifMatch }) {
    checkVersion(ifMatch, (await getLink(tx, itemId, supplierId)).updatedAt);
    return answer(tx, await updateSupplier(tx, context, itemId, supplierId, body));
  },
  async 'items.suppliers.delete'({ tx, context, params: { item_id: itemId, supplier_id: supplierId }, ifMatch }) {
    checkVersion(ifMatch, (await getLink(tx, itemId, supplierId)).updatedAt);
    await deleteSupplier(tx, context, itemId, supplierId);
  },
};

const compareText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
const LIST: RowList<SupplierLink> = {
  texts: ({ supplier }) => [supplier.name],
  compare: {
    is_preferred: (a, b) => Number(a.isPreferred) - Number(b.isPreferred),
    name: (a, b) => compareFolded(a.supplier.name, b.supplier.name),
    created_at: (a, b) => compareText(a.createdAt, b.createdAt),
    updated_at: (a, b) => compareText(a.updatedAt, b.updatedAt),
  },
};

async function answer(tx: ReadTx, link: SupplierLinkRecord, location?: string): Promise<Answer<{ data: SupplierLink }>> {
  const data = present(link, await getContact(tx, link.supplierId));
  return new Answer<{ data: SupplierLink }>({ data }, { etag: etagOf(link), ...(location === undefined ? {} : { location }) });
}

function present(link: SupplierLinkRecord, contact: ContactRecord): SupplierLink {
  const { itemId, supplierId, isPreferred, createdAt, updatedAt } = link;
  return { itemId, supplierId, ...wireTerms(link), isPreferred, createdAt, updatedAt, supplier: presentSupplierRef(contact) };
}
