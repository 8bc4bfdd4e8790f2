/** Conversion between the unit of a line and the item's stock unit. D-8, D-11. */
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { invalidField } from '../kernel/errors.ts';
import type { ItemRecord, UnitRecord, SupplierLinkRecord } from './records.ts';
import { MICRO, divideRounded, fromMicro } from '../kernel/numbers.ts';
import { type Ratio, getUnitRatio, getUnitStep } from './unit-ratios.ts';

const ONE: Ratio = { numerator: 1n, denominator: 1n };
const isOne = ({ numerator, denominator }: Ratio): boolean => numerator === denominator;

/** A ratio as lines store it: `60`, or `45359237/100000000`. */
export function formatFactor({ numerator, denominator }: Ratio): string {
  if (numerator === denominator) return '1';
  let [divisor, rest] = [numerator, denominator];
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest];
  const [num, den] = [numerator / divisor, denominator / divisor];
  return den === 1n ? String(num) : `${String(num)}/${String(den)}`;
}

/** The inverse of `formatFactor`. */
export function parseFactor(text: string): Ratio {
  if (text === '1') return ONE;
  const [num = '1', den = '1'] = text.split('/');
  return { numerator: BigInt(num), denominator: BigInt(den) };
}

/**
 * The stock units of the item in one unit of the line: for the supplier's purchase unit as the supplier link says, for other units by the
 * factors of the dimension. Throws 400 for `path` if the unit cannot be converted.
 */
export function getStockFactor(
  item: ItemRecord,
  unit: UnitRecord | null,
  stock: UnitRecord | null,
  link: SupplierLinkRecord | undefined,
  path: string,
): Ratio {
  if (unit === null || unit.id === item.unitId) return ONE;
  if (link?.purchaseUnitId === unit.id) return { numerator: BigInt(link.unitsPerPurchaseUnit), denominator: BigInt(MICRO) };
  if (stock === null)
    throw invalidField(path, `${path}: ${item.name} has no unit, so its lines cannot have one; omit unitId`, 'not_allowed');
  const ratio = getUnitRatio(unit, stock);
  if (ratio) return ratio;
  throw invalidField(path, `${path}: ${unit.symbol} cannot be converted to ${stock.symbol}, the unit of ${item.name}`, 'not_allowed');
}

/**
 * A quantity of the line in stock units, rounded once to the precision of the stock unit. Throws 400 for `path` if that is impossible. Less
 * than the smallest quantity of the stock unit is rejected, because rounding it up would multiply it.
 */
export function convertToStock(quantity: number, factor: Ratio, stock: UnitRecord | null, path: string): number {
  const step = getUnitStep(stock);
  // Even with factor 1, the unit of the line may be more precise.
  if (isOne(factor) && quantity % Number(step) === 0) return quantity;
  const exact = BigInt(quantity) * factor.numerator;
  const perStep = factor.denominator * step;
  const steps = divideRounded(exact, perStep);
  const symbol = stock?.symbol ?? 'stock units';
  // 1.5 dozen are 18 pieces, but 0.01 dozen is no whole number of pieces, and rounding would surprise.
  if (stock?.precision === 0 && steps * perStep !== exact)
    throw invalidField(path, `${path} is not a whole number of ${symbol}`, 'invalid');
  if (exact < perStep) {
    const smallest = String(fromMicro(Number(step)));
    throw invalidField(path, `${path} is too small in ${symbol}: it must be at least ${smallest} after conversion`, 'too_small');
  }
  const micro = Number(steps * step);
  if (micro < NUMBER_BOUND * MICRO) return micro;
  throw invalidField(path, `${path} is too large in ${symbol}`, 'too_big');
}

/** A quantity of stock units in the unit of the line, rounded once. */
export const convertFromStock = (stock: number, factor: Ratio): number =>
  isOne(factor) ? stock : Number(divideRounded(BigInt(stock) * factor.denominator, factor.numerator));

/** A quantity of stock units in the unit of the line, rounded up to the precision of that unit. */
export function convertFromStockUp(stock: number, factor: Ratio, unit: UnitRecord | null): number {
  const step = getUnitStep(unit);
  const perStep = factor.numerator * step;
  return Number(((BigInt(stock) * factor.denominator + perStep - 1n) / perStep) * step);
}

/** Throws 400 for `path` if the quantity has more decimals than the unit allows. */
export function checkPrecision(quantity: number, unit: UnitRecord | null, path: string): void {
  if (unit === null || quantity % Number(getUnitStep(unit)) === 0) return;
  const { precision, symbol } = unit;
  const allowed = precision === 0 ? 'be a whole number' : `have at most ${String(precision)} decimal${precision === 1 ? '' : 's'}`;
  throw invalidField(path, `${path} must ${allowed} in ${symbol}`, 'invalid');
}

/** A price per stock unit (micro-units) as the exact price per unit of the line. */
export const toLinePrice = ({ numerator, denominator }: Ratio, perStockUnit: number): Ratio => ({
  numerator: BigInt(perStockUnit) * numerator,
  denominator,
});

/** A supplier's price per purchase unit as the exact price per unit of the line; null without a price. */
export function toLinePriceFromLink(factor: Ratio, { purchasePrice, unitsPerPurchaseUnit }: SupplierLinkRecord): Ratio | null {
  if (purchasePrice === null) return null;
  return {
    numerator: BigInt(purchasePrice) * factor.numerator * BigInt(MICRO),
    denominator: factor.denominator * BigInt(unitsPerPurchaseUnit),
  };
}
