/** What a change does to stock, and dry runs, which show it without changing anything. */
import { unitRef } from './ingredients.ts';
import { extension, queryBoolean } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';

export const stockEffect = t.component('StockEffect', {
  itemId: t.uuid(),
  sku: t.nullable(t.string()),
  siteId: t.uuid(),
  quantityDelta: t.number(),
  onHandAfter: t.number(),
  committedAfter: t.number(),
  availableAfter: describe(t.number(), 'On hand less committed.'),
});
export type StockEffect = Infer<typeof stockEffect>;

/** In responses. */
export const stockEffectWithUnit = t.component('StockEffectWithUnit', {
  ...stockEffect.properties,
  unit: t.optional(extension(t.nullable(unitRef), 'Stock unit of the item, in which the quantities are.')),
});
export type StockEffectWithUnit = Infer<typeof stockEffectWithUnit>;

/** Query of writes that have a dry run. */
export const dryRun = t.object({
  dry_run: t.optional(extension(queryBoolean(), 'true: return the result without changing anything.')),
});
