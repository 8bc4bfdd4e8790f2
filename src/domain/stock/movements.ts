/** Turns the lines of a document into movements, and checks that there is enough stock for them. D-12, D-14. */
import { listLevels } from '../catalog/item-levels.ts';
import { StockroomError } from '../kernel/errors.ts';
import { fromMicro } from '../kernel/numbers.ts';
import { getReferencedRows } from '../kernel/rows.ts';
import { type LevelBatch, type LevelKey, toLevelId } from './levels.ts';
import type { StockDocumentRecord, StockLineRecord } from './records.ts';
import type { TenantRecord } from '../kernel/tenant.ts';
import type { ReadTx } from '../tables.ts';

export interface Movement extends LevelKey {
  readonly line: StockLineRecord;
  /** In stock units; positive for incoming stock. Never 0. */
  readonly quantity: number;
}

/** The levels that a document changes, at both sites of a transfer. */
export function listLevelKeys({ siteId, toSiteId }: StockDocumentRecord, lines: readonly StockLineRecord[]): LevelKey[] {
  return lines.flatMap(({ itemId }) => [{ itemId, siteId }, ...(toSiteId === null ? [] : [{ itemId, siteId: toSiteId }])]);
}

/**
 * The movements of a document, in posting order. Adjustments post gains first. Productions post components before outputs, and transfers
 * post the outgoing movement first, because these give the value of the incoming ones.
 */
export function toMovements(document: StockDocumentRecord, lines: readonly StockLineRecord[], levels: LevelBatch): Movement[] {
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
    // Revaluations move nothing.
    case 'revaluation':
      return [];
    case 'production':
      return [
        ...lines.filter((line) => line.direction === 'out').map((line) => move(line, -line.stockQuantity)),
        ...lines.filter((line) => line.direction === 'in').map((line) => move(line, line.stockQuantity)),
      ];
  }
}

/** The net change per level. Outputs of a production are excluded: they are not available to its components. */
export function sumByLevel(
  movements: readonly { readonly type: StockDocumentRecord['type']; readonly moves: readonly Movement[] }[],
): NetChange[] {
  const net = new Map<string, NetChange>();
  for (const { type, moves } of movements) {
    for (const { itemId, siteId, quantity } of moves) {
      if (type === 'production' && quantity > 0) continue;
      const id = toLevelId({ itemId, siteId });
      net.set(id, { itemId, siteId, delta: (net.get(id)?.delta ?? 0) + quantity });
    }
  }
  return [...net.values()];
}

export interface NetChange extends LevelKey {
  readonly delta: number;
}

/**
 * Throws INSUFFICIENT_STOCK with all shortages. `negativeStock: block` forbids issuing more than is on hand; `oversell: block` also forbids
 * issuing stock that is committed elsewhere. The claims in the batch are those after the change.
 */
export async function checkAvailableStock(
  tx: ReadTx,
  { negativeStock, oversell }: TenantRecord,
  levels: LevelBatch,
  netChanges: readonly NetChange[],
): Promise<void> {
  const shortages = netChanges.flatMap((need) => {
    const { delta } = need;
    if (delta >= 0) return [];
    const { onHand, committed } = levels.get(need);
    const missing = negativeStock === 'block' ? -(onHand + delta) : 0;
    const before = levels.before(need);
    // An existing overcommitment must not block the order that the stock is committed to.
    const isWorse = onHand + delta - committed < before.onHand - before.committed;
    const overcommitted = oversell === 'block' && isWorse ? -(onHand + delta - committed) : 0;
    return findShortage(levels, need, -delta, Math.max(missing, overcommitted));
  });
  await throwShortages(tx, shortages);
}

/** The same for new commitments: `oversell: block` allows a sale to commit only available stock (D-6). */
export async function checkCommitments(
  tx: ReadTx,
  { oversell }: TenantRecord,
  levels: LevelBatch,
  keys: readonly LevelKey[],
): Promise<void> {
  if (oversell !== 'block') return;
  await throwShortages(
    tx,
    keys.flatMap((key) => {
      const { onHand, committed } = levels.get(key);
      return findShortage(levels, key, committed - levels.before(key).committed, committed - onHand);
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

function findShortage(levels: LevelBatch, { itemId, siteId }: LevelKey, required: number, missing: number): Shortage[] {
  if (missing <= 0) return [];
  const { onHand } = levels.get({ itemId, siteId });
  const { sku } = levels.item(itemId);
  return [{ itemId, sku, siteId, required: fromMicro(required), onHand: fromMicro(onHand), missing: fromMicro(missing) }];
}

async function throwShortages(tx: ReadTx, shortages: readonly Shortage[]): Promise<void> {
  const [first] = shortages;
  if (!first) return;
  const others = shortages.length - 1;
  const more = others > 0 ? `, and ${String(others)} more shortage${others === 1 ? '' : 's'}` : '';
  const missing = `${String(first.missing)} of ${first.sku ?? first.itemId} missing${await describeElsewhere(tx, first)}${more}`;
  throw new StockroomError('INSUFFICIENT_STOCK', `Not enough stock: ${missing}. Nothing was posted.`, { details: { shortages } });
}

/** Of the sites that have most. */
const NAMED_SITES_MAX = 3;

/** Where else the item is on hand. */
async function describeElsewhere(tx: ReadTx, { itemId, siteId }: Shortage): Promise<string> {
  const others = (await listLevels(tx, itemId)).filter((level) => level.siteId !== siteId && level.onHand > 0);
  const most = others.toSorted((a, b) => b.onHand - a.onHand).slice(0, NAMED_SITES_MAX);
  const sites = await getReferencedRows(tx.sites, most, (level) => level.siteId);
  const texts = most.map((level) => `${String(fromMicro(level.onHand))} at ${sites.get(level.siteId)?.name ?? level.siteId}`);
  return texts.length === 0 ? '' : ` (on hand elsewhere: ${texts.join(', ')})`;
}
