/** The records that the lines of a document reference, loaded in a few reads regardless of the number of lines. */
import type { StockLinePatch } from '../../contract/resources/stock-lines.ts';
import { type LineCatalog, loadLineCatalog } from '../catalog/item-lines.ts';
import { getDistinctIds, getRowsById } from '../kernel/rows.ts';
import type { ReadTx } from '../tables.ts';
import type { LinkedOrder, LinkedOrderLine } from './linked-order.ts';
import type { StockDocumentRecord, StockLineRecord } from './records.ts';

export interface StockLineReferences extends LineCatalog {
  readonly order: LinkedOrder | undefined;
  readonly orderLines: ReadonlyMap<string, LinkedOrderLine>;
}

/** Loads everything that `patches` reference. `before` is the line that they change. */
export async function loadStockLineReferences(
  tx: ReadTx,
  { orderId }: Pick<StockDocumentRecord, 'orderId'>,
  patches: readonly StockLinePatch[],
  before?: StockLineRecord,
): Promise<StockLineReferences> {
  const lines = before ? [...patches, before] : patches;
  const orderLines = await getRowsById(tx.orderLines, getDistinctIds(lines.map(({ orderLineId }) => orderLineId)));
  const orderUnitIds = [...orderLines.values()].map(({ unitId }) => unitId);
  const order = orderId === null ? undefined : await tx.orders.get(orderId);
  return { ...(await loadLineCatalog(tx, lines, orderUnitIds)), order, orderLines };
}
