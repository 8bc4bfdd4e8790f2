/** One line of a stock document: what a body may say about it, and what follows from the item, the unit and the order line. D-12, D-13. */
import type { DocumentType } from '../contract/stock-documents.ts';
import type { StockLinePatch } from '../contract/stock-lines.ts';
import { StockroomError, invalidField } from './errors.ts';
import type { ItemRecord } from './items.ts';
import { inactiveItem, itemNamed, unitNamed } from './line-lookups.ts';
import type { OrderLineRecord } from './order-records.ts';
import { checkPrecision, parseFactor, stockFactor, toStock } from './order-units.ts';
import type { UnitRecord } from './settings.ts';
import { amountsOf, costOf } from './stock-line-amounts.ts';
import type { StockLineReferences } from './stock-line-references.ts';
import { orderLineOf } from './stock-line-order.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import { blankToNull } from './text.ts';
import type { Ratio } from './units.ts';

/** A line without its identity, its place, its times, and what approval says of it. */
export type StockLineFields = Pick<
  StockLineRecord,
  | 'itemId'
  | 'direction'
  | 'quantity'
  | 'countedQuantity'
  | 'expectedQuantity'
  | 'unitId'
  | 'stockQuantity'
  | 'stockExpected'
  | 'unitCost'
  | 'orderLineId'
  | 'notes'
>;

const OWN_FIELDS = ['direction', 'quantity', 'countedQuantity', 'expectedQuantity', 'unitCost', 'orderLineId'] as const;
type OwnField = (typeof OWN_FIELDS)[number];

const FIELDS_OF: Readonly<Record<DocumentType, readonly OwnField[]>> = {
  receipt: ['quantity', 'unitCost', 'orderLineId'],
  issue: ['quantity', 'orderLineId'],
  transfer: ['quantity'],
  adjustment: ['quantity', 'unitCost'],
  count: ['countedQuantity', 'expectedQuantity'],
  production: ['direction', 'quantity', 'orderLineId'],
};

/**
 * The line after a change, or a new one when there is no `before`. An absent field stays as it is; on a new line, and on one that gets
 * another item, it takes its default. `path` is the line's place in the body.
 */
export function stockLineFields(
  document: Pick<StockDocumentRecord, 'type' | 'orderId'>,
  references: StockLineReferences,
  wanted: StockLinePatch,
  before: StockLineRecord | undefined,
  path: string,
): StockLineFields {
  const { type } = document;
  refuseForeignFields(type, wanted, path);
  const direction = wanted.direction === undefined ? (before?.direction ?? null) : wanted.direction;
  if (type === 'production' && direction === null) {
    throw invalidField(`${path}/direction`, `${path}/direction is required: in for what is made, out for what is used up`, 'required');
  }
  const orderLineId = wanted.orderLineId === undefined ? (before?.orderLineId ?? null) : wanted.orderLineId;
  const item = itemOf(references, wanted, before, orderLineId, path);
  const orderLine =
    orderLineId === null
      ? undefined
      : orderLineOf(document, references, { orderLineId, direction, itemId: item.id }, `${path}/orderLineId`);
  const same = before?.itemId === item.id ? before : undefined;
  const stock = item.unitId === null ? null : (references.units.get(item.unitId) ?? null);
  const unit = unitOf(references, wanted, same, defaultUnit(references, stock, orderLine), `${path}/unitId`);
  const factor = factorOf(item, unit, stock, orderLine, `${path}/unitId`);
  const amounts = amountsOf(type, wanted, before, path);
  const inStock = (amount: number | null, field: OwnField, known: number | null | undefined): number | null => {
    if (amount === null) return null;
    const isKnown = same?.unitId === (unit?.id ?? null) && same.orderLineId === orderLineId && same[field] === amount;
    if (isKnown && typeof known === 'number') return known;
    checkPrecision(amount, unit, `${path}/${field}`);
    return amount === 0 ? 0 : Math.sign(amount) * toStock(Math.abs(amount), factor, stock, `${path}/${field}`);
  };
  const counted = type === 'count';
  return {
    itemId: item.id,
    direction,
    ...amounts,
    unitId: unit?.id ?? null,
    stockQuantity:
      (counted
        ? inStock(amounts.countedQuantity, 'countedQuantity', same?.stockQuantity)
        : inStock(amounts.quantity, 'quantity', same?.stockQuantity)) ?? 0,
    stockExpected: inStock(amounts.expectedQuantity, 'expectedQuantity', same?.stockExpected),
    unitCost: costOf(wanted, same, amounts.quantity, `${path}/unitCost`),
    orderLineId,
    notes: wanted.notes === undefined ? (before?.notes ?? null) : blankToNull(wanted.notes),
  };
}

/** Null says the same as leaving the field out. */
function refuseForeignFields(type: DocumentType, wanted: StockLinePatch, path: string): void {
  for (const field of OWN_FIELDS) {
    if (wanted[field] === undefined || wanted[field] === null || FIELDS_OF[type].includes(field)) continue;
    throw invalidField(
      `${path}/${field}`,
      `${path}/${field} does not belong to a line of a ${type}; it has ${FIELDS_OF[type].join(', ')}`,
      'not_allowed',
    );
  }
}

function itemOf(
  { items }: StockLineReferences,
  wanted: StockLinePatch,
  before: StockLineRecord | undefined,
  orderLineId: string | null,
  path: string,
): ItemRecord {
  const at = `${path}/itemId`;
  const id = wanted.itemId ?? before?.itemId;
  if (id === undefined) throw invalidField(at, `${at} is required`, 'required');
  const item = itemNamed(items, id, at);
  if (before?.itemId === id) return item;
  if (item.itemType === 'combo') {
    throw new StockroomError('INVALID_ITEM_TYPE', `${item.name} is a combo, which is not kept in stock; add its parts instead.`, {
      details: { itemId: id, itemType: item.itemType, path: at },
    });
  }
  // What an order has promised already goes on (D-20).
  if (!item.isActive && orderLineId === null) throw inactiveItem(item, at);
  return item;
}

/** A line that fulfils an order line counts as that one does; the parts of a combo count in their own units. */
const defaultUnit = ({ units }: StockLineReferences, stock: UnitRecord | null, orderLine: OrderLineRecord | undefined): UnitRecord | null =>
  orderLine && !orderLine.kit ? (orderLine.unitId === null ? null : (units.get(orderLine.unitId) ?? null)) : stock;

function unitOf(
  { units }: StockLineReferences,
  { unitId }: StockLinePatch,
  same: StockLineRecord | undefined,
  fallback: UnitRecord | null,
  path: string,
): UnitRecord | null {
  const before = same && (same.unitId === null ? null : (units.get(same.unitId) ?? null));
  if (unitId === undefined) return before === undefined ? fallback : before;
  if (unitId === null) return before === null ? null : fallback;
  return unitNamed(units, unitId, [before, fallback], path);
}

/** The unit of the order line counts as it did when the order was made, which may be what a supplier packs. */
function factorOf(
  item: ItemRecord,
  unit: UnitRecord | null,
  stock: UnitRecord | null,
  orderLine: OrderLineRecord | undefined,
  path: string,
): Ratio {
  if (orderLine && !orderLine.kit && orderLine.unitId === (unit?.id ?? null)) return parseFactor(orderLine.stockFactor);
  return stockFactor(item, unit, stock, undefined, path);
}
