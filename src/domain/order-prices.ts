/** What a new line takes from the item and the supplier: its unit and its price. D-8. */
import type { OrderModule } from '../contract/orders.ts';
import { NUMBER_BOUND } from '../contract/limits.ts';
import { invalidField } from './errors.ts';
import type { ItemRecord } from './items.ts';
import { MICRO } from './numbers.ts';
import type { LineReferences } from './order-line-references.ts';
import { linkPriceIn, priceIn } from './order-units.ts';
import type { UnitRecord } from './settings.ts';
import type { SupplierLinkRecord } from './suppliers.ts';
import type { Ratio } from './units.ts';

/** The supplier's purchase unit on buy orders (only those have links), else the item's own unit. */
export function defaultUnit(
  { units }: LineReferences,
  item: ItemRecord | undefined,
  link: SupplierLinkRecord | undefined,
): UnitRecord | null {
  const id = link?.purchaseUnitId ?? item?.unitId ?? null;
  return id === null ? null : (units.get(id) ?? null);
}

/** Micro-units per unit of the line; null when nobody has said a price. ours: make, check and fix lines start without one. */
export function defaultPrice(
  module: OrderModule,
  item: ItemRecord | undefined,
  link: SupplierLinkRecord | undefined,
  factor: Ratio,
  path: string,
): number | null {
  if (item === undefined || (module !== 'buy' && module !== 'sell')) return null;
  const perStockUnit = module === 'buy' ? item.purchasePrice : item.salePrice;
  const price = (link && linkPriceIn(factor, link)) ?? (perStockUnit === null ? null : priceIn(factor, perStockUnit));
  if (price === null || price < NUMBER_BOUND * MICRO) return price;
  throw invalidField(
    `${path}/unitPrice`,
    `${path}/unitPrice: the price of ${item.name} is too large in this unit; send a unitPrice`,
    'too_big',
  );
}
