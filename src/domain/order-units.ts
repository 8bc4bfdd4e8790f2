/** In which unit a line counts, and what one such unit is in the item's stock unit. D-8, D-11. */
import { NUMBER_BOUND } from '../contract/limits.ts';
import { invalidField } from './errors.ts';
import type { ItemRecord } from './items.ts';
import { MICRO, divideRounded } from './numbers.ts';
import type { UnitRecord } from './settings.ts';
import type { SupplierLinkRecord } from './suppliers.ts';
import { type Ratio, ratioOf, stepOf } from './units.ts';

const ONE: Ratio = { numerator: 1n, denominator: 1n };
const isOne = ({ numerator, denominator }: Ratio): boolean => numerator === denominator;

/** The text in which a line keeps its factor: `60`, or `45359237/100000000`. */
export function factorText({ numerator, denominator }: Ratio): string {
  if (numerator === denominator) return '1';
  let [divisor, rest] = [numerator, denominator];
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest];
  const [num, den] = [numerator / divisor, denominator / divisor];
  return den === 1n ? String(num) : `${String(num)}/${String(den)}`;
}

/** The factor that a line keeps. */
export function parseFactor(text: string): Ratio {
  if (text === '1') return ONE;
  const [num = '1', den = '1'] = text.split('/');
  return { numerator: BigInt(num), denominator: BigInt(den) };
}

/**
 * How many stock units of the item one unit of the line is. The supplier's purchase unit counts as the supplier link says,
 * every other unit by the factors of its dimension. A unit that fits neither way is a 400 for `path`.
 */
export function stockFactor(
  item: ItemRecord,
  unit: UnitRecord | null,
  stock: UnitRecord | null,
  link: SupplierLinkRecord | undefined,
  path: string,
): Ratio {
  if (unit === null || unit.id === item.unitId) return ONE;
  if (link?.purchaseUnitId === unit.id) return { numerator: BigInt(link.unitsPerPurchaseUnit), denominator: BigInt(MICRO) };
  if (stock === null)
    throw invalidField(path, `${path}: ${item.name} has no unit, so its lines cannot have one; leave unitId out`, 'not_allowed');
  const ratio = ratioOf(unit, stock);
  if (ratio) return ratio;
  throw invalidField(path, `${path}: ${unit.symbol} cannot be converted to ${stock.symbol}, the unit of ${item.name}`, 'not_allowed');
}

/** A quantity of the line in stock units, rounded once to what the stock unit can tell; `path` names it in a 400. */
export function toStock(quantity: number, factor: Ratio, stock: UnitRecord | null, path: string): number {
  const step = stepOf(stock);
  // Another unit that is worth as much may be told more finely.
  if (isOne(factor) && quantity % Number(step) === 0) return quantity;
  const exact = BigInt(quantity) * factor.numerator;
  const perStep = factor.denominator * step;
  const steps = divideRounded(exact, perStep);
  const symbol = stock?.symbol ?? 'stock units';
  // ours: one and a half dozen are 18 pieces, but 0.01 dozen is no number of pieces, and rounding it would surprise.
  if (stock?.precision === 0 && steps * perStep !== exact)
    throw invalidField(path, `${path} makes no whole number of ${symbol}`, 'invalid');
  if (steps === 0n) throw invalidField(path, `${path} is too small to be told in ${symbol}`, 'too_small');
  const micro = Number(steps * step);
  if (micro < NUMBER_BOUND * MICRO) return micro;
  throw invalidField(path, `${path} is too large in ${symbol}`, 'too_big');
}

/** Stock units in the unit of the line, rounded once. */
export const fromStock = (stock: number, factor: Ratio): number =>
  isOne(factor) ? stock : Number(divideRounded(BigInt(stock) * factor.denominator, factor.numerator));

/** Refuses more decimals than the unit has: pieces are whole. */
export function checkPrecision(quantity: number, unit: UnitRecord | null, path: string): void {
  if (quantity % Number(stepOf(unit)) === 0) return;
  const decimals = unit?.precision ?? 0;
  const allowed = decimals === 0 ? 'a whole number' : `at most ${String(decimals)} decimals`;
  throw invalidField(path, `${path} must have ${allowed} in ${unit?.symbol ?? ''}`, 'invalid');
}

/** A price per stock unit as a price per unit of the line (both micro), rounded once. */
export const priceIn = (factor: Ratio, perStockUnit: number): number =>
  isOne(factor) ? perStockUnit : Number(divideRounded(BigInt(perStockUnit) * factor.numerator, factor.denominator));

/** A supplier's price, which is per purchase unit, as a price per unit of the line, rounded once. */
export function linkPriceIn(factor: Ratio, { purchasePrice, unitsPerPurchaseUnit }: SupplierLinkRecord): number | null {
  if (purchasePrice === null) return null;
  return Number(divideRounded(BigInt(purchasePrice) * factor.numerator * BigInt(MICRO), factor.denominator * BigInt(unitsPerPurchaseUnit)));
}
