/** The arithmetic of lines and orders (D-9): every amount is rounded once per line, and totals are plain sums, so the lines always add up. */
import { AMOUNT_BOUND_MINOR } from '../contract/limits.ts';
import { invalidField } from './errors.ts';
import { moneyOf, percentOf } from './numbers.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';

type Priced = Pick<OrderLineRecord, 'quantity' | 'unitPrice' | 'discountPercent' | 'taxPercent'>;
export type LineAmounts = Pick<OrderLineRecord, 'lineSubtotal' | 'lineDiscount' | 'lineTax' | 'lineTotal'>;
export type OrderTotals = Pick<OrderRecord, 'subtotal' | 'discountTotal' | 'taxTotal' | 'total' | 'lineCount'>;

const FREE: LineAmounts = { lineSubtotal: 0, lineDiscount: 0, lineTax: 0, lineTotal: 0 };

/** The amounts of a line in minor units of a currency with `exponent` decimals; no price counts as 0. `path` names the line in a 400. */
export function lineAmounts({ quantity, unitPrice, discountPercent, taxPercent }: Priced, exponent: number, path: string): LineAmounts {
  if (unitPrice === null || unitPrice === 0) return FREE;
  const lineSubtotal = payable(moneyOf(quantity, unitPrice, exponent), `${path}/unitPrice`);
  const lineDiscount = discountPercent === 0 ? 0 : percentOf(lineSubtotal, discountPercent);
  const lineTax = taxPercent === 0 ? 0 : percentOf(lineSubtotal - lineDiscount, taxPercent);
  return { lineSubtotal, lineDiscount, lineTax, lineTotal: payable(lineSubtotal - lineDiscount + lineTax, `${path}/unitPrice`) };
}

/** The sums over an order's lines. */
export function orderTotals(lines: readonly LineAmounts[]): OrderTotals {
  let [subtotal, discountTotal, taxTotal, total] = [0, 0, 0, 0];
  for (const line of lines) {
    subtotal += line.lineSubtotal;
    discountTotal += line.lineDiscount;
    taxTotal += line.lineTax;
    total += line.lineTotal;
    payable(Math.max(subtotal, total), '/lines');
  }
  return { subtotal, discountTotal, taxTotal, total, lineCount: lines.length };
}

function payable(minor: number, path: string): number {
  if (minor < AMOUNT_BOUND_MINOR) return minor;
  throw invalidField(path, `${path} makes an amount of more than 15 digits, which cannot be kept exactly`, 'too_big');
}
