/** The resources that can be imported and exported. */
import { contact, createContact, getContact, listContacts, updateContact } from '../../contract/resources/contacts.ts';
import { createIngredient, ingredient, listIngredients, updateIngredient } from '../../contract/resources/ingredients.ts';
import { createItem, getItem, item, listItems, updateItem } from '../../contract/resources/items.ts';
import { ORDER_LINES_MAX, STOCK_LINES_MAX } from '../../contract/limits.ts';
import { createOrder, listOrders, orderDetail } from '../../contract/resources/orders.ts';
import { createStockDocument, listStockDocuments, stockDocument } from '../../contract/resources/stock-documents.ts';
import { createSupplier, listSuppliers, supplierLink, updateSupplier } from '../../contract/resources/suppliers.ts';
import { t } from '../../contract/schema/builder.ts';
import { postDocument } from './post-document.ts';
import { type BulkResource, EXTERNAL_ID } from './bulk-resource.ts';

export const ITEMS: BulkResource = {
  noun: 'item',
  create: createItem,
  upsert: { update: updateItem, get: getItem, keys: [{ field: 'sku', term: 'SKU' }, EXTERNAL_ID] },
  list: listItems,
  record: item,
  unique: ['sku', 'barcode', EXTERNAL_ID.field],
};

export const CONTACTS: BulkResource = {
  noun: 'contact',
  create: createContact,
  upsert: { update: updateContact, get: getContact, keys: [{ field: 'email', term: 'e-mail' }, EXTERNAL_ID] },
  list: listContacts,
  record: contact,
  unique: [EXTERNAL_ID.field],
};

/** The item that ingredients and supplier terms are those of. */
const ITEM = { field: 'itemId', param: 'item_id', schema: t.id('item') };

export const INGREDIENTS: BulkResource = {
  noun: 'ingredient',
  create: createIngredient,
  upsert: { update: updateIngredient, keys: [{ field: 'ingredientItemId', term: 'item' }] },
  list: listIngredients,
  record: ingredient,
  unique: [],
  parent: ITEM,
};

export const SUPPLIER_TERMS: BulkResource = {
  noun: 'supplier link',
  create: createSupplier,
  upsert: { update: updateSupplier, keys: [{ field: 'supplierId', term: 'supplier' }] },
  list: listSuppliers,
  record: supplierLink,
  unique: [],
  parent: ITEM,
};

export const ORDERS: BulkResource = {
  noun: 'order',
  create: createOrder,
  list: listOrders,
  record: orderDetail,
  unique: ['orderNumber', EXTERNAL_ID.field],
  lines: { linesMax: ORDER_LINES_MAX, isSplit: false },
};

const DOCUMENTS = { create: createStockDocument, list: listStockDocuments, record: stockDocument, unique: [], post: postDocument };

export const STOCK_COUNTS: BulkResource = {
  ...DOCUMENTS,
  noun: 'count',
  preset: { type: 'count' },
  lines: { linesMax: STOCK_LINES_MAX, isSplit: true, skippedWithout: 'countedQuantity' },
};

export const OPENING_STOCK: BulkResource = {
  ...DOCUMENTS,
  noun: 'opening document',
  preset: { type: 'adjustment', reason: 'opening' },
  lines: { linesMax: STOCK_LINES_MAX, isSplit: true, skippedWithout: 'quantity' },
};
