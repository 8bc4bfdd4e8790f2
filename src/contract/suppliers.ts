/** Supplier links: from whom an item is bought, and on what terms. D-11. */
import { supplierRef } from './contacts.ts';
import { CODE_MAX_CHARS, LEAD_TIME_MAX_DAYS, NOTES_MAX_CHARS, NUMBER_BOUND } from './limits.ts';
import { price } from './items.ts';
import { listQuery, one, operation, pageOf } from './operation.ts';
import { type Infer, t } from './schema.ts';

export const supplierLink = t.about(
  t.object({
    itemId: t.uuid(),
    supplierId: t.uuid(),
    supplierCode: t.nullable(t.string()),
    purchasePrice: t.nullable(t.number()),
    purchaseUnitId: t.nullable(t.uuid()),
    unitsPerPurchaseUnit: t.number(),
    minOrderQuantity: t.nullable(t.number()),
    orderMultiple: t.nullable(t.number()),
    leadTimeDays: t.nullable(t.int()),
    isPreferred: t.bool(),
    notes: t.nullable(t.string()),
    createdAt: t.timestamp(),
    updatedAt: t.timestamp(),
    supplier: supplierRef,
  }),
  { name: 'SupplierLink' },
);
export type SupplierLink = Infer<typeof supplierLink>;

const terms = {
  supplierCode: t.about(t.optional(t.nullable(t.maybeEmpty(CODE_MAX_CHARS))), { description: 'What the supplier calls the item.' }),
  purchasePrice: t.about(t.optional(t.nullable(price())), { description: 'Per purchase unit.' }),
  purchaseUnitId: t.about(t.optional(t.nullable(t.uuid())), { description: "Null: the item's own unit." }),
  unitsPerPurchaseUnit: t.about(t.withDefault(t.number({ above: 0, below: NUMBER_BOUND }), 1), {
    description: "How much of the item's own unit is in one purchase unit.",
    example: 60,
  }),
  minOrderQuantity: t.about(t.optional(t.nullable(t.number({ min: 0, below: NUMBER_BOUND }))), { description: 'In purchase units.' }),
  orderMultiple: t.about(t.optional(t.nullable(t.number({ above: 0, below: NUMBER_BOUND }))), { description: 'In purchase units.' }),
  leadTimeDays: t.optional(t.nullable(t.int({ min: 0, max: LEAD_TIME_MAX_DAYS }))),
  isPreferred: t.about(t.withDefault(t.bool(), false), {
    description:
      "The item's supplierId. Exactly one link of an item is preferred: the first one is, whatever is sent, and marking another moves it.",
  }),
  notes: t.optional(t.nullable(t.notes(NOTES_MAX_CHARS))),
};
const supplierTerms = t.object(terms);
export const supplierLinkDraft = t.object({
  supplierId: t.about(t.uuid(), { description: 'An active contact of type supplier or both.' }),
  ...terms,
});
export type SupplierLinkDraft = Infer<typeof supplierLinkDraft>;
export const supplierLinkPatch = t.partial(supplierTerms);
export type SupplierLinkPatch = Infer<typeof supplierLinkPatch>;

const itemParams = t.object({ item_id: t.uuid() });
const linkParams = t.object({ item_id: t.uuid(), supplier_id: t.about(t.uuid(), { description: 'The id of the contact.' }) });
const ITEM_ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const SUPPLIER_ID = '2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d';

export const listSuppliers = operation({
  id: 'items.suppliers.list',
  method: 'GET',
  path: '/v1/items/{item_id}/suppliers',
  scope: 'items:read',
  summary: 'List from whom an item is bought, the preferred supplier first',
  params: itemParams,
  query: t.object(listQuery(['-is_preferred,name', 'is_preferred', 'name', 'created_at', 'updated_at'])),
  status: 200,
  result: pageOf(supplierLink),
  example: { params: { item_id: ITEM_ID } },
});

export const createSupplier = operation({
  id: 'items.suppliers.create',
  method: 'POST',
  path: '/v1/items/{item_id}/suppliers',
  scope: 'items:write',
  summary: 'Link a supplier to an item',
  params: itemParams,
  body: supplierLinkDraft,
  status: 201,
  result: one(supplierLink),
  errors: ['DUPLICATE_VALUE', 'INACTIVE_REFERENCE', 'LIMIT_REACHED'],
  example: {
    params: { item_id: ITEM_ID },
    body: { supplierId: SUPPLIER_ID, purchasePrice: 312, unitsPerPurchaseUnit: 60, leadTimeDays: 14 },
  },
});

export const updateSupplier = operation({
  id: 'items.suppliers.update',
  method: 'PATCH',
  path: '/v1/items/{item_id}/suppliers/{supplier_id}',
  scope: 'items:write',
  summary: 'Change the terms of a supplier link; fields left out stay as they are',
  params: linkParams,
  body: supplierLinkPatch,
  status: 200,
  result: one(supplierLink),
  errors: ['INACTIVE_REFERENCE', 'PRECONDITION_FAILED'],
  example: { params: { item_id: ITEM_ID, supplier_id: SUPPLIER_ID }, body: { isPreferred: true } },
});

export const deleteSupplier = operation({
  id: 'items.suppliers.delete',
  method: 'DELETE',
  path: '/v1/items/{item_id}/suppliers/{supplier_id}',
  scope: 'items:write',
  summary: 'Remove a supplier link; of the others, the oldest becomes the preferred one',
  params: linkParams,
  status: 204,
  result: null,
  errors: ['PRECONDITION_FAILED'],
  example: { params: { item_id: ITEM_ID, supplier_id: SUPPLIER_ID } },
});

export const supplierOperations = [listSuppliers, createSupplier, updateSupplier, deleteSupplier] as const;
