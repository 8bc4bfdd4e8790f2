/** The records that the lines of one document refer to, fetched in a few calls however many lines there are. */
import type { StockLinePatch } from '../contract/stock-lines.ts';
import type { ItemRecord } from './items.ts';
import { byId } from './order-line-references.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import type { UnitRecord } from './settings.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import type { ReadTx } from './tables.ts';

export interface StockLineReferences {
  readonly order: OrderRecord | undefined;
  readonly items: ReadonlyMap<string, ItemRecord>;
  readonly units: ReadonlyMap<string, UnitRecord>;
  readonly orderLines: ReadonlyMap<string, OrderLineRecord>;
}

/** Everything that is needed to fill in `wanted`; ids that lead nowhere are simply not there. */
export async function stockLineReferences(
  tx: ReadTx,
  { orderId }: Pick<StockDocumentRecord, 'orderId'>,
  wanted: readonly StockLinePatch[],
  before?: StockLineRecord,
): Promise<StockLineReferences> {
  const all = before ? [...wanted, before] : wanted;
  const items = await byId(tx.items, distinct(all.map(({ itemId }) => itemId)));
  const orderLines = await byId(tx.orderLines, distinct(all.map(({ orderLineId }) => orderLineId)));
  const unitIds = [
    ...all.map(({ unitId }) => unitId),
    ...[...items.values()].map(({ unitId }) => unitId),
    ...[...orderLines.values()].map(({ unitId }) => unitId),
  ];
  return {
    order: orderId === null ? undefined : await tx.orders.get(orderId),
    items,
    units: await byId(tx.units, distinct(unitIds)),
    orderLines,
  };
}

const distinct = (ids: readonly (string | null | undefined)[]): string[] => [...new Set(ids.filter((id) => typeof id === 'string'))];
