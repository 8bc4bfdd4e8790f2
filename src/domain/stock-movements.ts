/** From the lines of a document to what moves, in the order in which it is posted. D-12, D-14. */
import { StockroomError } from './errors.ts';
import { fromMicro } from './numbers.ts';
import { type LevelBook, type Place, levelId } from './stock-levels.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import type { TenantRecord } from './tenants.ts';

export interface Movement extends Place {
  readonly line: StockLineRecord;
  /** Stock units; positive comes in. Never 0. */
  readonly quantity: number;
}

/** Both ends of a document's lines: what has to be loaded before it can be posted. */
export function placesOf({ siteId, toSiteId }: StockDocumentRecord, lines: readonly StockLineRecord[]): Place[] {
  return lines.flatMap(({ itemId }) => [{ itemId, siteId }, ...(toSiteId === null ? [] : [{ itemId, siteId: toSiteId }])]);
}

/**
 * What the document moves. Gains come before losses, and on a production what is used up comes before what is made, because the one gives
 * the other its value; a transfer leaves before it arrives, for the same reason.
 */
export function movementsOf(document: StockDocumentRecord, lines: readonly StockLineRecord[], levels: LevelBook): Movement[] {
  const { type, siteId, toSiteId } = document;
  const move = (line: StockLineRecord, quantity: number, site = siteId): Movement => ({
    line,
    itemId: line.itemId,
    siteId: site,
    quantity,
  });
  switch (type) {
    case 'receipt':
      return lines.map((line) => move(line, line.stockQuantity));
    case 'issue':
      return lines.map((line) => move(line, -line.stockQuantity));
    case 'transfer':
      return lines.flatMap((line) => [move(line, -line.stockQuantity), move(line, line.stockQuantity, toSiteId ?? '')]);
    case 'adjustment':
      return [...lines.filter((line) => line.stockQuantity > 0), ...lines.filter((line) => line.stockQuantity < 0)].map((line) =>
        move(line, line.stockQuantity),
      );
    case 'count':
      return lines
        .map((line) => move(line, line.stockQuantity - levels.get(move(line, 0)).onHand))
        .filter(({ quantity }) => quantity !== 0);
    case 'production':
      return [
        ...lines.filter((line) => line.direction === 'out').map((line) => move(line, -line.stockQuantity)),
        ...lines.filter((line) => line.direction === 'in').map((line) => move(line, line.stockQuantity)),
      ];
  }
}

/** The net change per place. What a production makes is not there yet when its parts are taken. */
export function netOf(movements: readonly { readonly type: StockDocumentRecord['type']; readonly moves: readonly Movement[] }[]): Need[] {
  const net = new Map<string, Need>();
  for (const { type, moves } of movements) {
    for (const { itemId, siteId, quantity } of moves) {
      if (type === 'production' && quantity > 0) continue;
      const id = levelId({ itemId, siteId });
      net.set(id, { itemId, siteId, delta: (net.get(id)?.delta ?? 0) + quantity });
    }
  }
  return [...net.values()];
}

export interface Need extends Place {
  readonly delta: number;
}

/**
 * Throws INSUFFICIENT_STOCK with the complete list of what is missing. With `negativeStock: block` nothing may be taken that is not there;
 * with `oversell: block` nothing that is promised to others either. The claims in the book are those after the change.
 */
export function checkStock({ negativeStock, oversell }: TenantRecord, levels: LevelBook, needs: readonly Need[]): void {
  const shortages = needs.flatMap((need) => {
    const { delta } = need;
    if (delta >= 0) return [];
    const { onHand, committed } = levels.get(need);
    const missing = negativeStock === 'block' ? -(onHand + delta) : 0;
    const before = levels.before(need);
    // What was promised too often before must not stop the order that it was promised to.
    const isWorse = onHand + delta - committed < before.onHand - before.committed;
    const promised = oversell === 'block' && isWorse ? -(onHand + delta - committed) : 0;
    return shortage(levels, need, -delta, Math.max(missing, promised));
  });
  refuseShortages(shortages);
}

/** The same for what is newly promised: `oversell: block` lets a sale promise only what is available (D-6). */
export function checkPromises({ oversell }: TenantRecord, levels: LevelBook, places: readonly Place[]): void {
  if (oversell !== 'block') return;
  refuseShortages(
    places.flatMap((place) => {
      const { onHand, committed } = levels.get(place);
      return shortage(levels, place, committed - levels.before(place).committed, committed - onHand);
    }),
  );
}

export interface Shortage {
  readonly itemId: string;
  readonly sku: string | null;
  readonly siteId: string;
  readonly required: number;
  readonly onHand: number;
  readonly missing: number;
}

function shortage(levels: LevelBook, { itemId, siteId }: Place, required: number, missing: number): Shortage[] {
  if (missing <= 0) return [];
  const { onHand } = levels.get({ itemId, siteId });
  const { sku } = levels.item(itemId);
  return [{ itemId, sku, siteId, required: fromMicro(required), onHand: fromMicro(onHand), missing: fromMicro(missing) }];
}

function refuseShortages(shortages: readonly Shortage[]): void {
  const [first] = shortages;
  if (!first) return;
  const more = shortages.length > 1 ? `, and of ${String(shortages.length - 1)} more` : '';
  throw new StockroomError(
    'INSUFFICIENT_STOCK',
    `There is not enough stock: ${String(first.missing)} of ${first.sku ?? first.itemId} missing${more}. Nothing was posted.`,
    { details: { shortages } },
  );
}
