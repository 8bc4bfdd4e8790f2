/** Order numbers (D-4): one counter per module without gaps, incremented in the commit of the order. */
import type { OrderModule } from '../../contract/resources/orders.ts';
import { takeNextNumber } from '../kernel/counters.ts';
import type { Context } from '../kernel/context.ts';
import type { Tx } from '../tables.ts';

const PREFIXES: Readonly<Record<OrderModule, string>> = { buy: 'PO-', sell: 'SO-', make: 'MO-', check: 'CO-', fix: 'FO-' };
const MIN_DIGITS = 6;

/** The next order number of the module. Skips numbers taken by imported orders. */
export async function nextOrderNumber(tx: Tx, context: Context, module: OrderModule): Promise<string> {
  const prefix = context.tenant.numberPrefixes[module] ?? PREFIXES[module];
  for (;;) {
    const counter = await takeNextNumber(tx, `orders.${module}`);
    const number = prefix + String(counter).padStart(MIN_DIGITS, '0');
    if (!(await tx.orders.findUnique('orderNumber', number))) return number;
  }
}
