/** Handlers of items, and their JSON in responses. */
import type { Item, itemOperations, itemRef } from '../contract/resources/items.ts';
import type { Infer } from '../contract/schema/builder.ts';
import { itemFields } from '../domain/catalog/item-fields.ts';
import { createItem, deleteItem, updateItem } from '../domain/catalog/items.ts';
import { checkVersion } from './versions.ts';
import { getItem } from '../domain/catalog/item-rows.ts';
import type { ItemRecord, CategoryRecord } from '../domain/catalog/records.ts';
import type { ContactRecord } from '../domain/contacts/records.ts';
import { parseExternalId, presentExternalFields } from '../domain/kernel/external-fields.ts';
import type { Condition } from '../domain/kernel/ports.ts';
import { getReferencedRows } from '../domain/kernel/rows.ts';
import type { ReadTx } from '../domain/tables.ts';
import { type ApiResponse, type Handlers, respondWithRecord } from './handler.ts';
import { presentSupplierRef } from './contacts.ts';
import { listWithDeleted } from './lists/tombstones.ts';
import { whereExternalIds, whereUniqueValues } from './lists/list-filters.ts';
import { whereIn, whereEquals, toPageQuery } from './lists/pagination.ts';

/** A condition that an item has one of these items as an ingredient. */
async function whereUses(tx: ReadTx, ids: readonly string[] | undefined): Promise<Condition | undefined> {
  if (ids === undefined) return undefined;
  const { rows } = await tx.ingredients.listAfter({ where: [{ field: 'ingredientItemId', in: ids }], limit: Number.MAX_SAFE_INTEGER });
  return { field: 'id', in: [...new Set(rows.map(({ itemId }) => itemId))] };
}

export const itemHandlers: Handlers<typeof itemOperations> = {
  async 'items.list'({ tx, query }) {
    const page = toPageQuery(query, [
      whereIn('itemType', query.item_type),
      whereIn('categoryId', query.category_id),
      whereIn('supplierId', query.supplier_id),
      await whereUses(tx, query.ingredient_id),
      whereEquals('isActive', query.is_active),
      whereIn('id', query.id),
      await whereUniqueValues(tx.items, 'sku', 'sku', query.sku),
      await whereUniqueValues(tx.items, 'barcode', 'barcode', query.barcode === undefined ? undefined : [query.barcode]),
      await whereExternalIds(tx.items, query.external_id),
    ]);
    const event = 'inventory.item.updated';
    const { rows, pagination, deleted } = await listWithDeleted(tx, 'items', query, { page, event });
    const references = await loadReferences(tx, rows);
    return { data: rows.map((row) => presentItem(row, references)), ...(deleted && { deleted }), pagination };
  },
  'items.get': async ({ tx, params }) => toResponse(tx, await getItem(tx, params.item_id)),
  async 'items.create'({ tx, context, body }) {
    const item = await createItem(tx, context, body);
    return toResponse(tx, item, `/v1/items/${item.id}`);
  },
  async 'items.update'({ tx, context, params, body, ifMatch }) {
    checkVersion(ifMatch, (await getItem(tx, params.item_id)).updatedAt);
    return toResponse(tx, await updateItem(tx, context, params.item_id, body));
  },
  async 'items.put'({ tx, context, params, body, ifMatch }) {
    const externalId = parseExternalId(params.external_id);
    const before = await tx.items.findUnique('externalId', externalId);
    checkVersion(ifMatch, before?.updatedAt);
    if (before) return toResponse(tx, await updateItem(tx, context, before.id, body));
    const item = await createItem(tx, context, { ...body, externalId });
    return toResponse(tx, item, `/v1/items/${item.id}`);
  },
  async 'items.delete'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getItem(tx, params.item_id)).updatedAt);
    await deleteItem(tx, context, params.item_id);
  },
};

async function toResponse(tx: ReadTx, record: ItemRecord, location?: string): Promise<ApiResponse<{ data: Item }>> {
  return respondWithRecord(record, { data: presentItem(record, await loadReferences(tx, [record])) }, location);
}

interface References {
  readonly categories: ReadonlyMap<string, CategoryRecord>;
  readonly suppliers: ReadonlyMap<string, ContactRecord>;
}

async function loadReferences(tx: ReadTx, items: readonly ItemRecord[]): Promise<References> {
  const [categories, suppliers] = await Promise.all([
    getReferencedRows(tx.categories, items, ({ categoryId }) => categoryId),
    getReferencedRows(tx.contacts, items, ({ supplierId }) => supplierId),
  ]);
  return { categories, suppliers };
}

function presentItem(record: ItemRecord, { categories, suppliers }: References): Item {
  const category = categories.get(record.categoryId ?? '');
  const supplier = suppliers.get(record.supplierId ?? '');
  return {
    id: record.id,
    ...itemFields.toWire(record),
    ...presentExternalFields(record),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    category: category ? { id: category.id, name: category.name } : null,
    supplier: supplier ? presentSupplierRef(supplier) : null,
  };
}

/** An item as embedded in other resources. */
export function presentItemRef(record: ItemRecord): Infer<typeof itemRef> {
  const { id, name, sku, itemType } = record;
  return { id, name, sku, itemType };
}
