import type { Item, itemOperations } from '../contract/items.ts';
import type { Infer } from '../contract/schema.ts';
import type { itemRef } from '../contract/items.ts';
import { type ItemRecord, checkVersion, createItem, deleteItem, getItem, updateItem } from '../domain/items.ts';
import { notFound } from '../domain/errors.ts';
import { fromMicro } from '../domain/numbers.ts';
import type { Condition, View } from '../domain/ports.ts';
import type { CategoryRecord } from '../domain/settings.ts';
import type { ReadTx } from '../domain/tables.ts';
import { Answer, type Handlers, JsonText, etagOf } from './call.ts';
import { supplierRefView } from './contacts.ts';
import { among, equal, joinPage, pageQuery, paginationOf } from './lists.ts';
import { RowText, completed, followed } from './row-text.ts';

export const itemHandlers: Handlers<typeof itemOperations> = {
  async 'items.list'({ tx, query }) {
    const { rows, total } = await tx.items.pageView(
      itemView,
      pageQuery(query, [
        among('itemType', query.item_type),
        among('categoryId', query.category_id),
        among('supplierId', query.supplier_id),
        equal('isActive', query.is_active),
        await uniqueValue(tx, 'sku', query.sku),
        await uniqueValue(tx, 'barcode', query.barcode),
      ]),
    );
    return joinPage(await withReferences(tx, rows), paginationOf(query, total));
  },
  async 'items.get'({ tx, params }) {
    const view = await tx.items.getView(itemView, params.item_id);
    if (!view) throw notFound('item', params.item_id);
    return presentView(tx, view);
  },
  async 'items.create'({ tx, context, body }) {
    const item = await createItem(tx, context, body);
    const { body: text, headers } = await presentItem(tx, item);
    return new Answer<{ data: Item }>(text, { ...headers, location: `/v1/items/${item.id}` });
  },
  async 'items.update'({ tx, context, params, body, ifMatch }) {
    checkVersion(ifMatch, (await getItem(tx, params.item_id)).updatedAt);
    return presentItem(tx, await updateItem(tx, context, params.item_id, body));
  },
  async 'items.delete'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getItem(tx, params.item_id)).updatedAt);
    await deleteItem(tx, context, params.item_id);
  },
};

/** A filter by an identifier that is unique whatever its case: the value as its holder writes it. */
async function uniqueValue(tx: ReadTx, field: 'sku' | 'barcode', value: string | undefined): Promise<Condition | undefined> {
  if (value === undefined) return undefined;
  const holder = await tx.items.find(field, value);
  return equal(field, holder?.[field] ?? value);
}

type ItemText = RowText<Pick<ItemRecord, 'categoryId' | 'supplierId' | 'updatedAt'>>;

const itemView: View<ItemRecord, ItemText> = {
  name: 'item',
  of(record) {
    const { categoryId, supplierId, updatedAt } = record;
    const wire = {
      id: record.id,
      name: record.name,
      itemType: record.itemType,
      sku: record.sku,
      mpn: record.mpn,
      barcode: record.barcode,
      categoryId,
      unitId: record.unitId,
      supplierId,
      salePrice: record.salePrice === null ? null : fromMicro(record.salePrice),
      purchasePrice: record.purchasePrice === null ? null : fromMicro(record.purchasePrice),
      supplierCode: record.supplierCode,
      notes: record.notes,
      isActive: record.isActive,
      createdAt: record.createdAt,
      updatedAt,
    } satisfies Omit<Item, 'category' | 'supplier'>;
    const isAlone = categoryId === null && supplierId === null;
    const text = JSON.stringify(wire);
    return new RowText(isAlone ? followed(text, NO_REFERENCES) : text, { categoryId, supplierId, updatedAt }, isAlone);
  },
};

const presentItem = (tx: ReadTx, item: ItemRecord): Promise<Answer<{ data: Item }>> => presentView(tx, itemView.of(item));

async function presentView(tx: ReadTx, view: ItemText): Promise<Answer<{ data: Item }>> {
  if (!view.isWhole) await withReferences(tx, [view]);
  return new Answer<{ data: Item }>(new JsonText(`{"data":${view.text}}`), { etag: etagOf(view.about) });
}

/** Puts category and supplier behind each text: they may change without the item. */
const withReferences = (tx: ReadTx, rows: readonly ItemText[]): Promise<readonly ItemText[]> =>
  completed(rows, [tx.categories, tx.contacts], async ({ categoryId, supplierId }) => {
    const category = categoryId === null ? undefined : await tx.categories.getView(categoryRefView, categoryId);
    const supplier = supplierId === null ? undefined : await tx.contacts.getView(supplierRefView, supplierId);
    return `"category":${category ?? 'null'},"supplier":${supplier ?? 'null'}}`;
  });

const NO_REFERENCES = '"category":null,"supplier":null}';

const categoryRefView: View<CategoryRecord, string> = { name: 'categoryRef', of: ({ id, name }) => JSON.stringify({ id, name }) };

/** An item as other resources show it. */
export function presentItemRef(record: ItemRecord): Infer<typeof itemRef> {
  const { id, name, sku, itemType } = record;
  return { id, name, sku, itemType };
}
