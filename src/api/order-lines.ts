/** Handlers of order lines, and their JSON in responses. */
import type { OrderLine, OrderLinePart, orderLineOperations } from '../contract/resources/order-lines.ts';
import { fromMicro, fromMicroOrNull, fromMinor } from '../domain/kernel/numbers.ts';
import { getInspectionResult } from '../domain/orders/line-kind-fields.ts';
import type { OrderLineRecord, OrderRecord } from '../domain/orders/records.ts';
import { type LineCatalog, loadLineCatalog } from '../domain/catalog/item-lines.ts';
import { convertFromStock, parseFactor } from '../domain/catalog/unit-conversion.ts';
import { listRequirements } from '../domain/orders/requirements.ts';
import { getReturnedQuantity } from '../domain/orders/returns.ts';
import { getOrder } from '../domain/orders/orders.ts';
import type { ReadTx } from '../domain/tables.ts';
import type { Handlers } from './handler.ts';
import { presentItemAndUnit } from './item-lines.ts';
import { presentItemRef } from './items.ts';
import { listWithDeleted } from './lists/tombstones.ts';
import { whereEquals, toPageQuery } from './lists/pagination.ts';

export const orderLineHandlers: Handlers<typeof orderLineOperations> = {
  async 'orders.lines.list'({ tx, params, query }) {
    const order = await getOrder(tx, params.order_id);
    const page = toPageQuery(query, [whereEquals('orderId', order.id)]);
    const selection = { page, event: 'order_line.deleted', where: { orderId: order.id } } as const;
    const { rows, ...rest } = await listWithDeleted(tx, 'orderLines', query, selection);
    return { data: await presentOrderLines(tx, order, rows), ...rest };
  },
};

/** The lines of one order, with the current state of their items and units. */
export async function presentOrderLines(tx: ReadTx, order: OrderRecord, lines: readonly OrderLineRecord[]): Promise<OrderLine[]> {
  const references = await loadReferences(tx, lines);
  return lines.map((line) => presentOrderLine(order, line, references));
}

/** The lines of several orders, by order. */
export async function presentLinesByOrder(tx: ReadTx, orders: readonly OrderRecord[]): Promise<Map<string, OrderLine[]>> {
  const where = [{ field: 'orderId', in: orders.map(({ id }) => id) }];
  const { rows } = await tx.orderLines.listAfter({ where, orderBy: 'line_number', limit: Number.MAX_SAFE_INTEGER });
  const references = await loadReferences(tx, rows);
  const rowsByOrder = Map.groupBy(rows, ({ orderId }) => orderId);
  const presentLines = (order: OrderRecord): OrderLine[] =>
    (rowsByOrder.get(order.id) ?? []).map((row) => presentOrderLine(order, row, references));
  return new Map(orders.map((order) => [order.id, presentLines(order)]));
}

/** The items and units of lines and of the parts of their combos. */
const loadReferences = (tx: ReadTx, lines: readonly OrderLineRecord[]): Promise<LineCatalog> =>
  loadLineCatalog(tx, [...lines, ...lines.flatMap(({ kit }) => kit ?? [])]);

const presentOrderLine = (order: OrderRecord, line: OrderLineRecord, references: LineCatalog): OrderLine => ({
  ...presentOwnFields(order, line),
  ...presentItemAndUnit(line, references),
  ...(line.kit && { parts: presentParts(line, references) }),
});

/** The parts of a combo. Items that were deleted since are left out. */
const presentParts = (line: OrderLineRecord, { items }: LineCatalog): OrderLinePart[] =>
  listRequirements(line).flatMap(({ itemId, required, posted, remaining }) => {
    const item = items.get(itemId);
    return item
      ? [
          {
            itemId,
            item: presentItemRef(item),
            requiredQuantity: fromMicro(required),
            postedQuantity: fromMicro(posted),
            remainingQuantity: fromMicro(remaining),
            returnedQuantity: fromMicro(line.returned?.[itemId] ?? 0),
          },
        ]
      : [];
  });

function presentOwnFields({ currencyExponent }: OrderRecord, line: OrderLineRecord): Omit<OrderLine, 'item' | 'unit' | 'parts'> {
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
    unitPrice: fromMicroOrNull(line.unitPrice),
    discountPercent: fromMicro(line.discountPercent),
    taxPercent: fromMicro(line.taxPercent),
    lineSubtotal: money(line.lineSubtotal),
    lineDiscount: money(line.lineDiscount),
    lineTax: money(line.lineTax),
    lineTotal: money(line.lineTotal),
    fulfilledQuantity: fromMicro(line.fulfilledQuantity),
    remainingQuantity: fromMicro(line.quantity - line.fulfilledQuantity),
    ...(line.returned ? { returnedQuantity: fromMicro(getReturnedQuantity(line)) } : {}),
    siteId: line.siteId,
    notes: line.notes,
    createdAt: line.createdAt,
    updatedAt: line.updatedAt,
    ...(component && {
      sourceIngredientId: component.sourceIngredientId,
      plannedQuantity:
        component.plannedQuantity === null ? null : fromMicro(convertFromStock(component.plannedQuantity, parseFactor(line.stockFactor))),
      isManual: component.isManual,
    }),
    ...(inspection && {
      passedQuantity: fromMicro(inspection.passedQuantity),
      failedQuantity: fromMicro(inspection.failedQuantity),
      result: getInspectionResult(inspection, line.quantity),
      failureReason: inspection.failureReason,
      failedDisposition: inspection.failedDisposition,
    }),
  };
}
