/** Names items of which a saved order commits more than is on hand. */
import { getStockFlow } from '../../contract/resources/order-lines.ts';
import type { OrderDetail } from '../../contract/resources/orders.ts';
import type { ApiContext } from '../session/api-session.ts';
import { addStock } from '../stock/item-stock.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly available?: number;
  readonly unit?: { readonly symbol: string } | null;
}

/** Draft orders commit nothing, and finished ones nothing any more. */
const UNCOMMITTED = ['draft', 'completed', 'cancelled'];

export async function noteOversoldItems({ output, session }: ApiContext, { module, status, lines = [] }: OrderDetail): Promise<void> {
  if (UNCOMMITTED.includes(status)) return;
  const items = new Map<string, Row>();
  for (const { itemId, itemSku, description, kind } of lines)
    if (itemId !== null && getStockFlow(module, kind) === 'committed') items.set(itemId, { id: itemId, name: itemSku ?? description });
  const rows = (await addStock(session, [...items.values()], { isOptional: true })) as readonly Row[];
  const texts = rows.flatMap(({ name, available = 0, unit }) =>
    available < 0 ? [`${name} by ${String(-available)}${unit ? ` ${unit.symbol}` : ''}`] : [],
  );
  if (texts.length > 0) output.printNote(`Oversold: ${texts.join(', ')}. See what to order with \`stockroom stock reorder\``);
}
