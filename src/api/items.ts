/** Handlers of items, and their JSON in responses. */
import type { Item, itemOperations, itemRef } from '../contract/resources/items.ts';
import type { Infer } from '../contract/schema/builder.ts';
import { itemFields } from '../domain/catalog/item-fields.ts';
import { createItem, deleteItem, updateItem } from '../domain/catalog/items.ts';
import { checkVersion } from '../domain/kernel/versions.ts';
import { getItem } from '../domain/catalog/item-rows.ts';
import type { ItemRecord, CategoryRecord } from '../domain/catalog/records.ts';
import { notFound } from '../domain/kernel/errors.ts';
import type { Condition, View } from '../domain/kernel/ports.ts';
import type { ReadTx } from '../domain/tables.ts';
import { ApiResponse, type Handlers, JsonBody, toEtag } from './handler.ts';
import { supplierRefView } from './contacts.ts';
import { whereIn, whereEquals, toPageJson, toPageQuery, toPagination } from './pagination.ts';
import { RowJson, completeRows, appendFields, getViewsById, measureRowJson, measureText } from './row-json.ts';

export const itemHandlers: Handlers<typeof itemOperations> = {
  async 'items.list'({ tx, query }) {
    const { rows, total } = await tx.items.listViewPage(
      itemView,
      toPageQuery(query, [
        whereIn('itemType', query.item_type),
        whereIn('categoryId', query.category_id),
        whereIn('supplierId', query.supplier_id),
        whereEquals('isActive', query.is_active),
        await whereUniqueValue(tx, 'sku', query.sku),
        await whereUniqueValue(tx, 'barcode', query.barcode),
      ]),
    );
    return toPageJson(await addReferences(tx, rows), toPagination(query, total));
  },
  async 'items.get'({ tx, params }) {
    const view = await tx.items.getView(itemView, params.item_id);
    if (!view) throw notFound('item', params.item_id);
    return toResponse(tx, view);
  },
  async 'items.create'({ tx, context, body }) {
    const item = await createItem(tx, context, body);
    const { body: text, headers } = await toItemResponse(tx, item);
    return new ApiResponse<{ data: Item }>(text, { ...headers, location: `/v1/items/${item.id}` });
  },
  async 'items.update'({ tx, context, params, body, ifMatch }) {
    checkVersion(ifMatch, (await getItem(tx, params.item_id)).updatedAt);
    return toItemResponse(tx, await updateItem(tx, context, params.item_id, body));
  },
  async 'items.delete'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getItem(tx, params.item_id)).updatedAt);
    await deleteItem(tx, context, params.item_id);
  },
};

/** A filter by a unique field. Uniqueness ignores case and equality does not, so it compares with the value as stored. */
async function whereUniqueValue(tx: ReadTx, field: 'sku' | 'barcode', value: string | undefined): Promise<Condition | undefined> {
  if (value === undefined) return undefined;
  const owner = await tx.items.findUnique(field, value);
  return whereEquals(field, owner?.[field] ?? value);
}

type ItemJson = RowJson<Pick<ItemRecord, 'categoryId' | 'supplierId' | 'updatedAt'>>;

const itemView: View<ItemRecord, ItemJson> = {
  name: 'item',
  measure: measureRowJson,
  compute(record) {
    const { categoryId, supplierId, updatedAt } = record;
    const wire = { id: record.id, ...itemFields.toWire(record), createdAt: record.createdAt, updatedAt } satisfies Omit<
      Item,
      'category' | 'supplier'
    >;
    const hasNoReferences = categoryId === null && supplierId === null;
    const text = JSON.stringify(wire);
    return new RowJson(hasNoReferences ? appendFields(text, NO_REFERENCES) : text, { categoryId, supplierId, updatedAt }, hasNoReferences);
  },
};

/** Of an item that was just written. No later response can use its text, so no revisions are read. */
async function toItemResponse(tx: ReadTx, item: ItemRecord): Promise<ApiResponse<{ data: Item }>> {
  const { text, references, isComplete } = itemView.compute(item);
  const render = isComplete ? undefined : await loadReferences(tx, [references]);
  return createResponse(render ? appendFields(text, render(references)) : text, references);
}

async function toResponse(tx: ReadTx, view: ItemJson): Promise<ApiResponse<{ data: Item }>> {
  await addReferences(tx, [view]);
  return createResponse(view.text, view.references);
}

const createResponse = (text: string, references: ItemJson['references']): ApiResponse<{ data: Item }> =>
  new ApiResponse<{ data: Item }>(new JsonBody(`{"data":${text}}`), { etag: toEtag(references) });

/** Appends category and supplier, which may change while the item does not. */
const addReferences = (tx: ReadTx, rows: readonly ItemJson[]): Promise<readonly ItemJson[]> =>
  completeRows(rows, [tx.categories, tx.contacts], (references) => loadReferences(tx, references));

async function loadReferences(tx: ReadTx, rows: readonly ItemJson['references'][]) {
  const [categories, suppliers] = await Promise.all([
    getViewsById(
      tx.categories,
      categoryRefView,
      rows.map(({ categoryId }) => categoryId),
    ),
    getViewsById(
      tx.contacts,
      supplierRefView,
      rows.map(({ supplierId }) => supplierId),
    ),
  ]);
  return ({ categoryId, supplierId }: ItemJson['references']): string =>
    `"category":${categories.get(categoryId) ?? 'null'},"supplier":${suppliers.get(supplierId) ?? 'null'}}`;
}

const NO_REFERENCES = '"category":null,"supplier":null}';

const categoryRefView: View<CategoryRecord, string> = {
  name: 'categoryRef',
  measure: measureText,
  compute: ({ id, name }) => JSON.stringify({ id, name }),
};

/** An item as embedded in other resources. */
export function presentItemRef(record: ItemRecord): Infer<typeof itemRef> {
  const { id, name, sku, itemType } = record;
  return { id, name, sku, itemType };
}
