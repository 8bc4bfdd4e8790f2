/** Items to reorder: low at a site or oversold, and the orders that replenish them. D-17. */
import { defineAdminOperation, queryBoolean } from '../operation.ts';
import { itemRef } from '../resources/items.ts';
import { unitRef } from '../resources/ingredients.ts';
import { REORDER_MODULES, listReorderAdvice, reorderAdvice } from '../resources/reorder.ts';
import { describe, t } from '../schema/builder.ts';
import { defineTenantOperation, tenantQuery } from './shared-schemas.ts';

const reference = () => t.object({ id: t.uuid(), name: t.string() });

export const listReorders = defineTenantOperation('stock.reorder', 'GET', '/admin/stock/reorder', {
  summary: listReorderAdvice.summary,
  description: listReorderAdvice.description,
  result: t.object({
    data: t.array(
      t.object({
        ...reorderAdvice.properties,
        command: describe(t.nullable(t.string()), 'The command that creates the order.'),
      }),
    ),
  }),
});

export const createReorders = defineAdminOperation('stock.reorder.create', 'POST', '/admin/stock/reorder', {
  summary: 'Create the orders for all items to reorder',
  description:
    'One purchase order per supplier and site, and one production order per item and site, all or none. Ingredients that these productions need are ordered, too. What draft orders bring is not ordered again.',
  query: t.object({
    ...tenantQuery.properties,
    dry_run: t.optional(describe(queryBoolean(), 'true: return the orders without creating any.')),
  }),
  body: t.object({ draft: describe(t.withDefault(t.bool(), false), 'Create drafts, which change no stock, instead of open orders.') }),
  result: t.object({
    data: t.array(
      t.object({
        orderId: t.uuid(),
        orderNumber: t.string(),
        module: t.enums(REORDER_MODULES),
        status: t.enums(['draft', 'open']),
        supplier: t.nullable(reference()),
        site: reference(),
        item: t.nullable(itemRef),
        quantity: t.number(),
        unit: t.nullable(unitRef),
        dueDate: t.date(),
      }),
    ),
  }),
  errors: ['INACTIVE_REFERENCE', 'LIMIT_REACHED'],
  example: { body: { draft: true } },
});

export const stockReorderOperations = [listReorders, createReorders] as const;
