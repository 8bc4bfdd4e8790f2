/**
 * Claims on stock: the committed and incoming quantities of outstanding orders and submitted documents (D-17). A change of an order or
 * document changes its levels by the difference of its claims before and after, in the same commit.
 */
import type { StockFlow } from '../../contract/resources/order-lines.ts';
import { type LevelBatch, type LevelKey, toLevelId } from './levels.ts';
import type { StockDocumentRecord, StockLineRecord } from './records.ts';

/** Quantities of one item at one site, in stock units. */
export interface Claim extends LevelKey {
  readonly committed: number;
  readonly incoming: number;
}

/** The claims of a submitted document, without lines that fulfil an order line: the claims of the order include those, but no returns. */
export function listDocumentClaims(document: StockDocumentRecord, lines: readonly StockLineRecord[]): Claim[] {
  if (document.status !== 'submitted') return [];
  const isReturn = typeof document.returnOf === 'string';
  return lines.filter((line) => isReturn || line.orderLineId === null).flatMap((line) => listLineClaims(document, line));
}

function listLineClaims({ type, siteId, toSiteId }: StockDocumentRecord, { itemId, direction, stockQuantity }: StockLineRecord): Claim[] {
  switch (type) {
    case 'receipt':
      return [toClaim(itemId, siteId, 'incoming', stockQuantity)];
    case 'issue':
      return [toClaim(itemId, siteId, 'committed', stockQuantity)];
    case 'transfer':
      return [toClaim(itemId, siteId, 'committed', stockQuantity), toClaim(itemId, toSiteId ?? '', 'incoming', stockQuantity)];
    case 'adjustment':
      return [toClaim(itemId, siteId, stockQuantity < 0 ? 'committed' : 'incoming', Math.abs(stockQuantity))];
    case 'production':
      return [toClaim(itemId, siteId, direction === 'out' ? 'committed' : 'incoming', stockQuantity)];
    // The effect of a count is known only at approval, and a revaluation moves nothing.
    case 'count':
    case 'revaluation':
      return [];
  }
}

export const toClaim = (itemId: string, siteId: string, flow: StockFlow, quantity: number): Claim => ({
  itemId,
  siteId,
  committed: flow === 'committed' ? quantity : 0,
  incoming: flow === 'incoming' ? quantity : 0,
});

/** Replaces the claims `before` with `after`. Returns the levels with more stock committed than before. */
export async function replaceClaims(levels: LevelBatch, before: readonly Claim[], after: readonly Claim[]): Promise<LevelKey[]> {
  const differences = new Map<string, Claim>();
  const addAll = (claims: readonly Claim[], sign: 1 | -1) => {
    for (const { itemId, siteId, committed, incoming } of claims) {
      const id = toLevelId({ itemId, siteId });
      const sum = differences.get(id);
      differences.set(id, {
        itemId,
        siteId,
        committed: (sum?.committed ?? 0) + sign * committed,
        incoming: (sum?.incoming ?? 0) + sign * incoming,
      });
    }
  };
  addAll(before, -1);
  addAll(after, 1);
  const changed = [...differences.values()].filter(({ committed, incoming }) => committed !== 0 || incoming !== 0);
  await levels.load(changed);
  for (const { committed, incoming, ...key } of changed) {
    const level = levels.get(key);
    levels.change(key, { committed: level.committed + committed, incoming: level.incoming + incoming });
  }
  return changed.filter(({ committed }) => committed > 0);
}
