/** Items: products, materials and combos. C-2. */
import { CODE_MAX_CHARS, NAME_MAX_CHARS, NOTES_MAX_CHARS, NUMBER_BOUND, SEARCH_MAX_CHARS } from '../limits.ts';
import { externalFields, externalIdFilter, externalIdParams, omitExternalId, returnedExternalFields } from '../external-fields.ts';
import {
  extension,
  idsFilter,
  includeDeleted,
  paginatedWithDeleted,
  queryBoolean,
  listQuery,
  single,
  defineOperation,
} from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';

export const ITEM_TYPES = ['product', 'material', 'combo'] as const;
export type ItemType = (typeof ITEM_TYPES)[number];

export const price = () => t.number({ min: 0, below: NUMBER_BOUND });
const code = () => t.optional(t.nullable(t.lineOrEmpty(CODE_MAX_CHARS)));

export const itemRef = t.component('ItemRef', {
  id: t.uuid(),
  name: t.string(),
  sku: t.nullable(t.string()),
  itemType: t.enums(ITEM_TYPES),
});

/** The fields of the given contract. */
const itemFields = t.object({
  name: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name shown in lists and on documents.', example: 'Hex bolt M6' }),
  itemType: t.withDefault(t.enums(ITEM_TYPES), 'product'),
  sku: t.annotate(code(), { description: 'Stock keeping unit. Unique within the tenant, ignoring case.', example: 'BOLT-M6' }),
  mpn: describe(code(), 'Manufacturer part number.'),
  barcode: t.annotate(code(), { description: 'Barcode; unique within the tenant.' }),
  categoryId: describe(t.optional(t.nullable(t.id('category'))), 'Category of the item.'),
  unitId: describe(t.optional(t.nullable(t.id('unit'))), 'Unit of the item.'),
  supplierId: t.annotate(t.optional(t.nullable(t.id('contact'))), {
    description:
      'Preferred supplier: an active contact of type supplier or both. Setting it links the contact or makes its link preferred; null removes the link, and fails if another link with its own terms would become preferred.',
  }),
  salePrice: describe(t.optional(t.nullable(price())), 'Sale price per unit.'),
  purchasePrice: describe(t.optional(t.nullable(price())), 'Purchase price per unit.'),
  supplierCode: describe(code(), "Supplier's code for the item."),
  notes: t.optional(t.nullable(t.multiline(NOTES_MAX_CHARS))),
  isActive: describe(t.withDefault(t.bool(), true), 'Whether new orders can use it.'),
});
export const itemDraft = t.object({ ...itemFields.properties, ...externalFields() });
export type ItemDraft = Infer<typeof itemDraft>;
export const itemPatch = t.partial(itemDraft);
export type ItemPatch = Infer<typeof itemPatch>;
/** A new item: its other fields have defaults. */
export type NewItem = ItemPatch & Pick<ItemDraft, 'name'>;

export const item = t.component('Item', {
  id: t.uuid(),
  ...t.returnedFields(itemFields),
  ...returnedExternalFields(),
  createdAt: extension(t.timestamp(), 'Creation time.'),
  updatedAt: t.timestamp(),
  category: t.nullable(t.object({ id: t.uuid(), name: t.string() })),
  supplier: t.nullable(t.object({ id: t.uuid(), name: t.string(), company: t.string() })),
});
export type Item = Infer<typeof item>;

const itemParams = t.object({ item_id: t.id('item') });
const EXAMPLE_ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';

export const listItems = defineOperation('items.list', 'GET', '/v1/items', {
  scope: 'items:read',
  summary: 'List items',
  query: t.object({
    ...listQuery(['name', 'sku', 'created_at', 'updated_at']),
    search: t.optional(
      t.annotate(t.string({ max: SEARCH_MAX_CHARS }), {
        description: 'Text to search for in name and SKU, and, as an extension, in barcode and MPN, ignoring case and accents.',
      }),
    ),
    item_type: t.optional(extension(t.csv(t.enums(ITEM_TYPES)), 'Only these types, joined by commas.')),
    category_id: t.optional(extension(t.csv(t.id('category')), 'Only these categories, joined by commas.')),
    supplier_id: t.optional(extension(t.csv(t.id('contact')), 'Only these preferred suppliers, joined by commas.')),
    ingredient_id: t.optional(
      extension(t.csv(t.id('item')), 'Only items that have one of these items as an ingredient, joined by commas.'),
    ),
    is_active: t.optional(extension(queryBoolean(), 'Only active or only inactive items.')),
    id: idsFilter('item'),
    include_deleted: includeDeleted(),
    sku: t.optional(extension(t.csv(t.string({ max: CODE_MAX_CHARS })), 'Only items with these SKUs, joined by commas.')),
    barcode: t.optional(extension(t.string({ max: CODE_MAX_CHARS }), 'The item with this barcode.')),
    external_id: externalIdFilter(),
  }),
  errors: ['CURSOR_EXPIRED'],
  result: paginatedWithDeleted(item),
  example: { query: { search: 'bolt', page_size: '20' } },
});

export const createItem = defineOperation('items.create', 'POST', '/v1/items', {
  scope: 'items:write',
  summary: 'Create an item',
  body: itemDraft,
  status: 201,
  result: single(item),
  errors: ['DUPLICATE_VALUE', 'INACTIVE_REFERENCE'],
  example: { body: { name: 'Hex bolt M6', sku: 'BOLT-M6', salePrice: 0.35 } },
});

export const getItem = defineOperation('items.get', 'GET', '/v1/items/{item_id}', {
  scope: 'items:read',
  summary: 'Get an item',
  params: itemParams,
  result: single(item),
  example: { params: { item_id: EXAMPLE_ID } },
});

export const updateItem = defineOperation('items.update', 'PATCH', '/v1/items/{item_id}', {
  scope: 'items:write',
  summary: 'Update an item',
  description: 'Omitted fields are unchanged.',
  params: itemParams,
  body: itemPatch,
  result: single(item),
  errors: ['DUPLICATE_VALUE', 'INACTIVE_REFERENCE', 'RESOURCE_IN_USE', 'LIMIT_REACHED', 'PRECONDITION_FAILED'],
  example: { params: { item_id: EXAMPLE_ID }, body: { salePrice: 0.4 } },
});

export const putItem = defineOperation('items.put', 'PUT', '/v1/items/by-external-id/{external_id}', {
  scope: 'items:write',
  extension: true,
  summary: 'Create or update the item with an external id',
  description: 'Answers 201 if there was none. Omitted fields get their defaults in a new item and are unchanged in an existing one.',
  params: externalIdParams(),
  body: t.object({ ...omitExternalId(itemPatch.properties), name: itemFields.properties.name }),
  createdStatus: 201,
  result: single(item),
  errors: ['DUPLICATE_VALUE', 'INACTIVE_REFERENCE', 'RESOURCE_IN_USE', 'LIMIT_REACHED', 'PRECONDITION_FAILED'],
  example: { params: { external_id: 'shop-4711' }, body: { name: 'Hex bolt M6', salePrice: 0.35 } },
});

export const deleteItem = defineOperation('items.delete', 'DELETE', '/v1/items/{item_id}', {
  scope: 'items:write',
  summary: 'Delete an unused item',
  description: 'Fails with `RESOURCE_IN_USE` if other records refer to the item.',
  params: itemParams,
  result: null,
  errors: ['RESOURCE_IN_USE', 'PRECONDITION_FAILED'],
  example: { params: { item_id: EXAMPLE_ID } },
});

export const itemOperations = [listItems, createItem, getItem, updateItem, putItem, deleteItem] as const;
