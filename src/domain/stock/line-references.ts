/** The records that the lines of a document reference, loaded in a few reads regardless of the number of lines. */
import type { StockLinePatch } from '../../contract/resources/stock-lines.ts';
import { type LineCatalog, loadLineCatalog } from '../catalog/item-lines.ts';
import { getDistinctIds, getReferencedRows } from '../kernel/rows.ts';
import type { ReadTx } from '../tables.ts';
import type { LinkedOrder, LinkedOrderLine } from './linked-order.ts';
import { toLevelId } from './levels.ts';
import type { StockDocumentRecord, StockLineRecord } from './records.ts';

export interface StockLineReferences extends LineCatalog {
  readonly order: LinkedOrder | undefined;
  readonly orderLines: ReadonlyMap<string, LinkedOrderLine>;
  /** Of counts: the stock of the items at the site of the document. Items that have none are missing. */
  readonly onHand: ReadonlyMap<string, number>;
}

/** Loads everything that `patches` reference. `before` is the line that they change. */
export async function loadStockLineReferences(
  tx: ReadTx,
  { type, siteId, orderId, returnOf }: Pick<StockDocumentRecord, 'type' | 'siteId' | 'orderId' | 'returnOf'>,
  patches: readonly StockLinePatch[],
  before?: StockLineRecord,
): Promise<StockLineReferences> {
  const lines = before ? [...patches, before] : patches;
  const orderLines = await getReferencedRows(tx.orderLines, lines, ({ orderLineId }) => orderLineId);
  const orderUnitIds = [...orderLines.values()].map(({ unitId }) => unitId);
  const linkedId = returnOf ?? orderId;
  const order = linkedId === null ? undefined : await tx.orders.get(linkedId);
  const onHand =
    type === 'count' ? await loadOnHand(tx, siteId, getDistinctIds(lines.map(({ itemId }) => itemId))) : new Map<string, number>();
  return { ...(await loadLineCatalog(tx, lines, orderUnitIds)), order, orderLines, onHand };
}

async function loadOnHand(tx: ReadTx, siteId: string, itemIds: readonly string[]): Promise<Map<string, number>> {
  const levels = await tx.stockLevels.getMany(itemIds.map((itemId) => toLevelId({ itemId, siteId })));
  return new Map(levels.flatMap((level) => (level ? [[level.itemId, level.onHand]] : [])));
}
