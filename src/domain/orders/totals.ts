/** Amounts of lines and totals of orders (D-9). Amounts are rounded once per line and totals are sums, so the lines always add up. */
import { AMOUNT_BOUND_MINOR } from '../../contract/limits.ts';
import { invalidField } from '../kernel/errors.ts';
import { multiplyToMinor, scaleByPercent } from '../kernel/numbers.ts';
import { getExactPrice } from './line-price.ts';
import type { OrderLineRecord, OrderRecord } from './records.ts';

type PricedLine = Pick<OrderLineRecord, 'quantity' | 'unitPrice' | 'exactPrice' | 'discountPercent' | 'taxPercent'>;
export type LineAmounts = Pick<OrderLineRecord, 'lineSubtotal' | 'lineDiscount' | 'lineTax' | 'lineTotal'>;
export type OrderTotals = Pick<OrderRecord, 'subtotal' | 'discountTotal' | 'taxTotal' | 'total' | 'lineCount'>;

const ZERO_AMOUNTS: LineAmounts = { lineSubtotal: 0, lineDiscount: 0, lineTax: 0, lineTotal: 0 };

/** The amounts of a line in minor units of a currency with `exponent` decimals. No price counts as 0. `path` is the line in a 400. */
export function calculateLineAmounts(line: PricedLine, exponent: number, path: string): LineAmounts {
  const { quantity, discountPercent, taxPercent } = line;
  const price = getExactPrice(line);
  if (price === null || price.numerator === 0n) return ZERO_AMOUNTS;
  const lineSubtotal = checkAmountBound(multiplyToMinor(quantity, price, exponent), `${path}/unitPrice`);
  const lineDiscount = discountPercent === 0 ? 0 : scaleByPercent(lineSubtotal, discountPercent);
  const lineTax = taxPercent === 0 ? 0 : scaleByPercent(lineSubtotal - lineDiscount, taxPercent);
  return { lineSubtotal, lineDiscount, lineTax, lineTotal: checkAmountBound(lineSubtotal - lineDiscount + lineTax, `${path}/unitPrice`) };
}

/** The sums over an order's lines. */
export function calculateOrderTotals(lines: readonly LineAmounts[]): OrderTotals {
  let [subtotal, discountTotal, taxTotal, total] = [0, 0, 0, 0];
  for (const line of lines) {
    subtotal += line.lineSubtotal;
    discountTotal += line.lineDiscount;
    taxTotal += line.lineTax;
    total += line.lineTotal;
    checkAmountBound(Math.max(subtotal, total), '/lines');
  }
  return { subtotal, discountTotal, taxTotal, total, lineCount: lines.length };
}

function checkAmountBound(minor: number, path: string): number {
  if (minor < AMOUNT_BOUND_MINOR) return minor;
  throw invalidField(path, `${path} must result in an amount of at most 15 digits`, 'too_big');
}
