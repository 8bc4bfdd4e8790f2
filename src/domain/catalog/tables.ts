/** Items, ingredients, supplier links, units and categories: tables, with the indexes for their queries. Rows are stored as arrays in the order of the fields: only append. */
import { EXTERNAL_FIELDS, EXTERNAL_ID_KEY } from '../kernel/external-fields.ts';
import { createListCodec } from '../table-format/list-codec.ts';
import { BY_CREATED_AT, BY_NAME, BY_UPDATED_AT, defineTable } from '../table-format/define-table.ts';
import type { CategoryRecord, IngredientRecord, ItemRecord, SupplierLinkRecord, UnitRecord } from './records.ts';

const itemCodec = createListCodec<ItemRecord>()(
  [
    'id',
    'name',
    'itemType',
    'sku',
    'mpn',
    'barcode',
    'categoryId',
    'unitId',
    'supplierId',
    'salePrice',
    'purchasePrice',
    'supplierCode',
    'notes',
    'isActive',
    'createdAt',
    'updatedAt',
  ],
  EXTERNAL_FIELDS,
);

const supplierLinkCodec = createListCodec<SupplierLinkRecord>()([
  'id',
  'itemId',
  'supplierId',
  'supplierCode',
  'purchasePrice',
  'purchaseUnitId',
  'unitsPerPurchaseUnit',
  'minOrderQuantity',
  'orderMultiple',
  'leadTimeDays',
  'notes',
  'isPreferred',
  'createdAt',
  'updatedAt',
]);

export const catalogTables = {
  units: defineTable<UnitRecord>({
    name: 'units',
    scope: 'tenant',
    types: { isActive: 'boolean' },
    unique: { symbol: { fields: ['symbol'], fold: true } },
    orders: { name: BY_NAME, symbol: [{ field: 'symbol', fold: true }], created_at: BY_CREATED_AT, updated_at: BY_UPDATED_AT },
    filters: ['isActive'],
    search: ['name', 'symbol'],
  }),
  categories: defineTable<CategoryRecord>({
    name: 'categories',
    scope: 'tenant',
    types: { isActive: 'boolean' },
    unique: { sibling: { fields: ['under', 'name'], fold: true } },
    orders: { name: BY_NAME, created_at: BY_CREATED_AT, updated_at: BY_UPDATED_AT },
    filters: ['parentId', 'isActive'],
    search: ['name'],
  }),
  items: defineTable<ItemRecord>({
    name: 'items',
    scope: 'tenant',
    types: { isActive: 'boolean' },
    unique: { sku: { fields: ['sku'], fold: true }, barcode: { fields: ['barcode'], fold: true }, ...EXTERNAL_ID_KEY },
    orders: { name: BY_NAME, sku: [{ field: 'sku', fold: true }], created_at: BY_CREATED_AT, updated_at: BY_UPDATED_AT },
    filters: ['itemType', 'categoryId', 'supplierId', 'isActive'],
    // Asked when a unit is changed or deleted: seldom enough to go without an index.
    columns: ['unitId'],
    search: ['name', 'sku', 'barcode', 'mpn'],
    codec: itemCodec,
  }),
  ingredients: defineTable<IngredientRecord>({
    name: 'ingredients',
    scope: 'tenant',
    types: { position: 'number' },
    unique: { pair: { fields: ['itemId', 'ingredientItemId'] } },
    orders: { position: [{ field: 'position' }] },
    filters: ['itemId', 'ingredientItemId'],
    columns: ['unitId'],
  }),
  supplierLinks: defineTable<SupplierLinkRecord>({
    name: 'supplierLinks',
    scope: 'tenant',
    orders: { created_at: BY_CREATED_AT },
    filters: ['itemId', 'supplierId'],
    columns: ['purchaseUnitId'],
    codec: supplierLinkCodec,
  }),
} as const;
