import type { OrderLine, orderLineOperations } from '../contract/order-lines.ts';
import { fromMicro, fromMinor } from '../domain/numbers.ts';
import { resultOf } from '../domain/order-line-parts.ts';
import { byId } from '../domain/order-line-references.ts';
import type { OrderLineRecord, OrderRecord } from '../domain/order-records.ts';
import { fromStock, parseFactor } from '../domain/order-units.ts';
import { getOrder } from '../domain/orders.ts';
import type { ReadTx } from '../domain/tables.ts';
import type { Handlers } from './call.ts';
import { presentItemRef } from './items.ts';
import { equal, pageQuery, paginationOf } from './lists.ts';

export const orderLineHandlers: Handlers<typeof orderLineOperations> = {
  async 'orders.lines.list'({ tx, params, query }) {
    const order = await getOrder(tx, params.order_id);
    const { rows, total } = await tx.orderLines.page(pageQuery(query, [equal('orderId', order.id)]));
    return { data: await presentLines(tx, order, rows), pagination: paginationOf(query, total) };
  },
};

/** Lines of one order with their items and units as they are now. */
export async function presentLines(tx: ReadTx, order: OrderRecord, lines: readonly OrderLineRecord[]): Promise<OrderLine[]> {
  const distinct = (ids: readonly (string | null)[]) => [...new Set(ids.filter((id) => id !== null))];
  const items = await byId(tx.items, distinct(lines.map((line) => line.itemId)));
  const units = await byId(tx.units, distinct(lines.map((line) => line.unitId)));
  return lines.map((line) => {
    const item = line.itemId === null ? undefined : items.get(line.itemId);
    const unit = line.unitId === null ? undefined : units.get(line.unitId);
    return {
      ...ownFields(order, line),
      item: item ? presentItemRef(item) : null,
      unit: unit ? { id: unit.id, name: unit.name, symbol: unit.symbol } : null,
    };
  });
}

function ownFields({ currencyExponent }: OrderRecord, line: OrderLineRecord): Omit<OrderLine, 'item' | 'unit'> {
  const money = (minor: number) => fromMinor(minor, currencyExponent);
  const { component, inspection } = line;
  return {
    id: line.id,
    orderId: line.orderId,
    lineNumber: line.lineNumber,
    kind: line.kind,
    itemId: line.itemId,
    itemName: line.itemName,
    itemSku: line.itemSku,
    description: line.description,
    quantity: fromMicro(line.quantity),
    unitId: line.unitId,
    stockQuantity: fromMicro(line.stockQuantity),
    unitPrice: line.unitPrice === null ? null : fromMicro(line.unitPrice),
    discountPercent: fromMicro(line.discountPercent),
    taxPercent: fromMicro(line.taxPercent),
    lineSubtotal: money(line.lineSubtotal),
    lineDiscount: money(line.lineDiscount),
    lineTax: money(line.lineTax),
    lineTotal: money(line.lineTotal),
    fulfilledQuantity: fromMicro(line.fulfilledQuantity),
    remainingQuantity: fromMicro(line.quantity - line.fulfilledQuantity),
    siteId: line.siteId,
    notes: line.notes,
    createdAt: line.createdAt,
    updatedAt: line.updatedAt,
    ...(component && {
      sourceIngredientId: component.sourceIngredientId,
      plannedQuantity:
        component.plannedQuantity === null ? null : fromMicro(fromStock(component.plannedQuantity, parseFactor(line.stockFactor))),
      isManual: component.isManual,
    }),
    ...(inspection && {
      passedQuantity: fromMicro(inspection.passedQuantity),
      failedQuantity: fromMicro(inspection.failedQuantity),
      result: resultOf(inspection, line.quantity),
      failureReason: inspection.failureReason,
      failedDisposition: inspection.failedDisposition,
    }),
  };
}
