/** Order numbers (D-4): one counter per module without gaps, incremented in the commit of the order. */
import type { OrderModule } from '../../contract/resources/orders.ts';
import { getNextNumber, takeNextNumber } from '../counters/counters.ts';
import type { Context } from '../kernel/context.ts';
import type { ReadTx, Tx } from '../tables.ts';

const PREFIXES: Readonly<Record<OrderModule, string>> = { buy: 'PO-', sell: 'SO-', make: 'MO-', check: 'CO-', fix: 'FO-' };
const MIN_DIGITS = 6;

const toCounter = (module: OrderModule): string => `orders.${module}`;

const formatNumber = ({ tenant }: Context, module: OrderModule, counter: number): string =>
  (tenant.numberPrefixes[module] ?? PREFIXES[module]) + String(counter).padStart(MIN_DIGITS, '0');

/** The next order number of the module. Skips numbers taken by imported orders. */
export async function nextOrderNumber(tx: Tx, context: Context, module: OrderModule): Promise<string> {
  for (;;) {
    const number = formatNumber(context, module, await takeNextNumber(tx, toCounter(module)));
    if (!(await tx.orders.findUnique('orderNumber', number))) return number;
  }
}

/** Before many orders are created: looks up their numbers together, for a store that would need a round trip for each. */
export async function loadNextOrderNumbers(tx: ReadTx, context: Context, module: OrderModule, count: number): Promise<void> {
  const first = await getNextNumber(tx, toCounter(module));
  const numbers = Array.from({ length: count }, (_, at) => [formatNumber(context, module, first + at)]);
  await tx.orders.findUniqueIds('orderNumber', numbers);
}
