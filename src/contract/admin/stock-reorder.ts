/** Items to reorder: low at a site or oversold, with the command that replenishes them. D-17. */
import { defineOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';
import { stockLevel } from '../resources/stock-levels.ts';
import { tenantQuery } from './shared-schemas.ts';

export const listReorders = defineOperation({
  id: 'stock.reorder',
  method: 'GET',
  path: '/admin/stock/reorder',
  scope: null,
  summary: 'List items to reorder, oversold ones first',
  description:
    'Rows at or below their reorder point, and rows with more committed than on hand. Each has the command that orders or makes what fills the stock to twice the reorder point.',
  query: tenantQuery,
  status: 200,
  result: t.object({
    data: t.array(
      t.object({
        ...stockLevel.properties,
        command: t.annotate(t.nullable(t.string()), {
          description: 'Null if what is incoming is enough, or if the item has neither a supplier nor ingredients.',
        }),
      }),
    ),
  }),
});

export const stockReorderOperations = [listReorders] as const;
