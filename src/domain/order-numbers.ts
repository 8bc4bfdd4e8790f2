/** Order numbers (D-4): one gapless counter per module, advanced in the same commit as the order it names. */
import type { OrderModule } from '../contract/orders.ts';
import { nextNumber } from './changes.ts';
import type { Context } from './context.ts';
import type { Tx } from './tables.ts';

const PREFIXES: Readonly<Record<OrderModule, string>> = { buy: 'PO-', sell: 'SO-', make: 'MO-', check: 'CO-', fix: 'FO-' };
const LEAST_DIGITS = 6;

/** The next free number of the module. One that an import has taken already is skipped. */
export async function nextOrderNumber(tx: Tx, context: Context, module: OrderModule): Promise<string> {
  const prefix = context.tenant.numberPrefixes[module] ?? PREFIXES[module];
  for (;;) {
    const counted = await nextNumber(tx, `orders.${module}`);
    const number = prefix + String(counted).padStart(LEAST_DIGITS, '0');
    if (!(await tx.orders.find('orderNumber', number))) return number;
  }
}
