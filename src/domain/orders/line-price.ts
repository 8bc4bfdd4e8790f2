/**
 * The price of an order line (D-9). A default price in another unit than the one it was entered for may have more than six decimals per unit of
 * the line: `unitPrice` is rounded for display, and amounts are computed from the exact price.
 */
import { formatFactor, parseFactor } from '../catalog/unit-conversion.ts';
import type { Ratio } from '../catalog/unit-ratios.ts';
import { divideRounded } from '../kernel/numbers.ts';
import type { OrderLineRecord } from './records.ts';

export type LinePrice = Pick<OrderLineRecord, 'unitPrice' | 'exactPrice'>;

export const NO_PRICE: LinePrice = { unitPrice: null, exactPrice: null };

/** A price in micro-units per unit of the line, as a line stores it. */
export function toStoredPrice(price: Ratio): LinePrice {
  const unitPrice = divideRounded(price.numerator, price.denominator);
  const isExact = unitPrice * price.denominator === price.numerator;
  return { unitPrice: Number(unitPrice), exactPrice: isExact ? null : formatFactor(price) };
}

/** The exact price per unit of the line, in micro-units; null without a price. */
export function getExactPrice({ unitPrice, exactPrice }: LinePrice): Ratio | null {
  if (unitPrice === null) return null;
  return typeof exactPrice === 'string' ? parseFactor(exactPrice) : { numerator: BigInt(unitPrice), denominator: 1n };
}
