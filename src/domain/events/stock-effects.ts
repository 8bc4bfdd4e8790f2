/** Changes of stock levels in events. D-23. */
import { STOCK_EFFECTS_MAX } from '../../contract/limits.ts';
import type { StockEffect } from '../../contract/resources/stock-effects.ts';

/** The fields of an event that list the changed levels, if it has any. A receiver reads those that do not fit from the API. */
export function toEventEffects(stockEffects: readonly StockEffect[] | undefined): Readonly<Record<string, unknown>> {
  if (stockEffects === undefined) return {};
  if (stockEffects.length <= STOCK_EFFECTS_MAX) return { stockEffects };
  return { stockEffects: stockEffects.slice(0, STOCK_EFFECTS_MAX), stockEffectsTruncated: true };
}
