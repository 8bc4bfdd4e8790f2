/** Supplier links: the suppliers of an item and their terms. D-11. */
import { supplierRef } from './contacts.ts';
import { CODE_MAX_CHARS, LEAD_TIME_MAX_DAYS, NOTES_MAX_CHARS, NUMBER_BOUND } from '../limits.ts';
import { price } from './items.ts';
import { CREATION, listQuery, single, defineOperation, paginated } from '../operation.ts';
import { type Infer, t } from '../schema/builder.ts';

const terms = {
  supplierCode: t.annotate(t.optional(t.nullable(t.lineOrEmpty(CODE_MAX_CHARS))), { description: "Supplier's code for the item." }),
  purchasePrice: t.annotate(t.optional(t.nullable(price())), { description: 'Price per purchase unit.' }),
  purchaseUnitId: t.annotate(t.optional(t.nullable(t.id('unit'))), {
    description: "Unit in which the item is purchased. Without one, or with null: the item's unit.",
  }),
  unitsPerPurchaseUnit: t.annotate(t.withDefault(t.number({ above: 0, below: NUMBER_BOUND }), 1), {
    description: "Number of the item's units in one purchase unit.",
    example: 60,
  }),
  minOrderQuantity: t.annotate(t.optional(t.nullable(t.number({ min: 0, below: NUMBER_BOUND }))), {
    description: 'Minimum order quantity, in purchase units.',
  }),
  orderMultiple: t.annotate(t.optional(t.nullable(t.number({ above: 0, below: NUMBER_BOUND }))), {
    description: 'Order quantities must be a multiple of this, in purchase units.',
  }),
  leadTimeDays: t.annotate(t.optional(t.nullable(t.int({ min: 0, max: LEAD_TIME_MAX_DAYS }))), { description: 'Delivery time in days.' }),
  isPreferred: t.annotate(t.withDefault(t.bool(), false), {
    description:
      "Whether this is the item's preferred supplier. Exactly one link is preferred: the first link always is; setting this on another link moves it.",
  }),
  notes: t.optional(t.nullable(t.multiline(NOTES_MAX_CHARS))),
};
const supplierTerms = t.object(terms);
export const supplierLinkDraft = t.object({
  supplierId: t.annotate(t.id('contact'), { description: 'Id of an active contact of type supplier or both.' }),
  ...terms,
});
export type SupplierLinkDraft = Infer<typeof supplierLinkDraft>;
export const supplierLinkPatch = t.partial(supplierTerms);
export type SupplierLinkPatch = Infer<typeof supplierLinkPatch>;

export const supplierLink = t.component('SupplierLink', {
  itemId: t.uuid(),
  ...t.returnedFields(supplierLinkDraft),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
  supplier: supplierRef,
});
export type SupplierLink = Infer<typeof supplierLink>;

const itemParams = t.object({ item_id: t.id('item') });
const linkParams = t.object({
  item_id: t.id('item'),
  supplier_id: t.annotate(t.id('contact'), { description: 'Id of the supplier (a contact).' }),
});
const ITEM_ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const SUPPLIER_ID = '2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d';

export const listSuppliers = defineOperation('items.suppliers.list', 'GET', '/v1/items/{item_id}/suppliers', {
  scope: 'items:read',
  summary: 'List the suppliers of an item, preferred first',
  params: itemParams,
  query: t.object(listQuery(['-is_preferred,name', 'is_preferred', 'name', 'created_at', 'updated_at'], CREATION)),
  result: paginated(supplierLink),
  example: { params: { item_id: ITEM_ID } },
});

export const createSupplier = defineOperation('items.suppliers.create', 'POST', '/v1/items/{item_id}/suppliers', {
  scope: 'items:write',
  summary: 'Link a supplier to an item',
  params: itemParams,
  body: supplierLinkDraft,
  status: 201,
  result: single(supplierLink),
  errors: ['DUPLICATE_VALUE', 'INACTIVE_REFERENCE', 'LIMIT_REACHED'],
  example: {
    params: { item_id: ITEM_ID },
    body: { supplierId: SUPPLIER_ID, purchasePrice: 312, unitsPerPurchaseUnit: 60, leadTimeDays: 14 },
  },
});

export const updateSupplier = defineOperation('items.suppliers.update', 'PATCH', '/v1/items/{item_id}/suppliers/{supplier_id}', {
  scope: 'items:write',
  summary: 'Update the terms of a supplier link',
  description: 'Omitted fields are unchanged.',
  params: linkParams,
  body: supplierLinkPatch,
  result: single(supplierLink),
  errors: ['INACTIVE_REFERENCE', 'PRECONDITION_FAILED'],
  example: { params: { item_id: ITEM_ID, supplier_id: SUPPLIER_ID }, body: { isPreferred: true } },
});

export const deleteSupplier = defineOperation('items.suppliers.delete', 'DELETE', '/v1/items/{item_id}/suppliers/{supplier_id}', {
  scope: 'items:write',
  summary: 'Remove a supplier link',
  description: 'If it was preferred, the oldest remaining link becomes preferred.',
  params: linkParams,
  result: null,
  errors: ['PRECONDITION_FAILED'],
  example: { params: { item_id: ITEM_ID, supplier_id: SUPPLIER_ID } },
});

export const supplierOperations = [listSuppliers, createSupplier, updateSupplier, deleteSupplier] as const;
