/** The default unit and price of a new order line, from its item and supplier. D-8. */
import type { OrderModule } from '../../contract/resources/orders.ts';
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { invalidField } from '../kernel/errors.ts';
import type { ItemRecord, UnitRecord, SupplierLinkRecord } from '../catalog/records.ts';
import { MICRO } from '../kernel/numbers.ts';
import type { LineReferences } from './line-references.ts';
import { type LinePrice, NO_PRICE, toStoredPrice } from './line-price.ts';
import { toLinePriceFromLink, toLinePrice } from '../catalog/unit-conversion.ts';
import type { Ratio } from '../catalog/unit-ratios.ts';

/** The supplier's purchase unit on buy orders (only those have supplier links), otherwise the unit of the item. */
export function getDefaultUnit(
  { units }: LineReferences,
  item: ItemRecord | undefined,
  link: SupplierLinkRecord | undefined,
): UnitRecord | null {
  const id = link?.purchaseUnitId ?? item?.unitId ?? null;
  return id === null ? null : (units.get(id) ?? null);
}

/** The default price of a line. Lines of make, check and fix orders have none. */
export function getDefaultPrice(
  module: OrderModule,
  item: ItemRecord | undefined,
  link: SupplierLinkRecord | undefined,
  factor: Ratio,
  path: string,
): LinePrice {
  if (item === undefined || (module !== 'buy' && module !== 'sell')) return NO_PRICE;
  const perStockUnit = module === 'buy' ? item.purchasePrice : item.salePrice;
  const price = (link && toLinePriceFromLink(factor, link)) ?? (perStockUnit === null ? null : toLinePrice(factor, perStockUnit));
  if (price === null) return NO_PRICE;
  const stored = toStoredPrice(price);
  if ((stored.unitPrice ?? 0) < NUMBER_BOUND * MICRO) return stored;
  throw invalidField(
    `${path}/unitPrice`,
    `${path}/unitPrice: the default price of ${item.name} is too large in this unit. Set unitPrice`,
    'too_big',
  );
}
