/**
 * Claims: what outstanding orders and submitted documents announce to the levels, as committed or incoming (D-17). A change of an order or
 * of a document changes the counters by the difference of its claims before and after, in the same commit.
 */
import { isOutstanding } from './order-transitions.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { flowOf, requirementsOf, siteOfLine } from './order-stock.ts';
import { type LevelBook, type Place, levelId } from './stock-levels.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';

export interface Claim extends Place {
  readonly committed: number;
  readonly incoming: number;
}

/** What remains of every line of an outstanding order. */
export function orderClaims(order: OrderRecord, lines: readonly OrderLineRecord[]): Claim[] {
  if (!isOutstanding(order.status)) return [];
  return lines.flatMap((line) => {
    const flow = flowOf(order.module, line);
    if (flow === null) return [];
    const siteId = siteOfLine(order, line);
    return requirementsOf(line).map(({ itemId, remaining }) => claim(itemId, siteId, flow, remaining));
  });
}

/** What the lines of a submitted document will do, but for those that fulfil an order line: that one counts already. */
export function documentClaims(document: StockDocumentRecord, lines: readonly StockLineRecord[]): Claim[] {
  if (document.status !== 'submitted') return [];
  return lines.filter((line) => line.orderLineId === null).flatMap((line) => lineClaims(document, line));
}

function lineClaims({ type, siteId, toSiteId }: StockDocumentRecord, { itemId, direction, stockQuantity }: StockLineRecord): Claim[] {
  switch (type) {
    case 'receipt':
      return [claim(itemId, siteId, 'incoming', stockQuantity)];
    case 'issue':
      return [claim(itemId, siteId, 'committed', stockQuantity)];
    case 'transfer':
      return [claim(itemId, siteId, 'committed', stockQuantity), claim(itemId, toSiteId ?? '', 'incoming', stockQuantity)];
    case 'adjustment':
      return [claim(itemId, siteId, stockQuantity < 0 ? 'committed' : 'incoming', Math.abs(stockQuantity))];
    case 'production':
      return [claim(itemId, siteId, direction === 'out' ? 'committed' : 'incoming', stockQuantity)];
    // What a count will change is known when it is approved.
    case 'count':
      return [];
  }
}

const claim = (itemId: string, siteId: string, flow: 'committed' | 'incoming', quantity: number): Claim => ({
  itemId,
  siteId,
  committed: flow === 'committed' ? quantity : 0,
  incoming: flow === 'incoming' ? quantity : 0,
});

/** Puts the claims `after` in place of those `before`. Returns the places of which more is committed now. */
export async function moveClaims(levels: LevelBook, before: readonly Claim[], after: readonly Claim[]): Promise<Place[]> {
  const moved = new Map<string, Claim>();
  const add = (claims: readonly Claim[], sign: 1 | -1) => {
    for (const { itemId, siteId, committed, incoming } of claims) {
      const id = levelId({ itemId, siteId });
      const sum = moved.get(id);
      moved.set(id, {
        itemId,
        siteId,
        committed: (sum?.committed ?? 0) + sign * committed,
        incoming: (sum?.incoming ?? 0) + sign * incoming,
      });
    }
  };
  add(before, -1);
  add(after, 1);
  const changed = [...moved.values()].filter(({ committed, incoming }) => committed !== 0 || incoming !== 0);
  await levels.load(changed);
  for (const { committed, incoming, ...place } of changed) {
    const level = levels.get(place);
    levels.change(place, { committed: level.committed + committed, incoming: level.incoming + incoming });
  }
  return changed.filter(({ committed }) => committed > 0);
}
