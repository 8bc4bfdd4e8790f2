/** Builds the fields of a stock document line from a request body, with defaults from the item, unit and order line. D-12, D-13. */
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import type { StockLinePatch } from '../../contract/resources/stock-lines.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import type { ItemRecord, UnitRecord } from '../catalog/records.ts';
import { findLineItem, findLineUnit, inactiveItem, missingItem } from '../catalog/item-lines.ts';
import type { LinkedOrderLine } from './linked-order.ts';
import { checkPrecision, parseFactor, getStockFactor, convertToStock } from '../catalog/unit-conversion.ts';
import { NO_EXPECTATION, resolveExpectation } from './count-expectation.ts';
import { resolveAmounts, resolveUnitCost } from './valuation/line-amounts.ts';
import type { StockLineReferences } from './line-references.ts';
import { matchOrderLine } from './order-line-match.ts';
import type { StockDocumentRecord, StockLineRecord } from './records.ts';
import { blankToNull } from '../kernel/text.ts';
import type { Ratio } from '../catalog/unit-ratios.ts';

/** A stock document line without ids, line number, timestamps and the fields set by approval. */
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

const TYPE_FIELDS = ['direction', 'quantity', 'countedQuantity', 'expectedQuantity', 'unitCost', 'orderLineId'] as const;
type TypeField = (typeof TYPE_FIELDS)[number];

const FIELDS_BY_TYPE: Readonly<Record<DocumentType, readonly TypeField[]>> = {
  receipt: ['quantity', 'unitCost', 'orderLineId'],
  issue: ['quantity', 'orderLineId'],
  transfer: ['quantity'],
  adjustment: ['quantity', 'unitCost'],
  count: ['countedQuantity', 'expectedQuantity'],
  production: ['direction', 'quantity', 'orderLineId'],
  revaluation: ['unitCost'],
};

/**
 * The fields of a line after a patch, or of a new line without `before`. Omitted fields are unchanged; on a new line, and on one that gets
 * another item, they take their defaults. `path` is the JSON pointer of the line in the body.
 */
export function buildStockLineFields(
  document: Pick<StockDocumentRecord, 'type' | 'orderId' | 'returnOf'>,
  references: StockLineReferences,
  patch: StockLinePatch,
  before: StockLineRecord | undefined,
  path: string,
): StockLineFields {
  const { type } = document;
  checkTypeFields(type, patch, path);
  const direction = resolveDirection(type, patch, before, path);
  const orderLineId = resolveOrderLineId(document, patch, before, path);
  const itemPath = `${path}/itemId`;
  const item = findLineItem(references, patch, before, (found) => checkNewItem(found, orderLineId, itemPath), itemPath);
  if (!item) throw missingItem(itemPath);
  const orderLine =
    orderLineId === null
      ? undefined
      : matchOrderLine(document, references, { orderLineId, direction, itemId: item.id }, `${path}/orderLineId`);
  const sameItemLine = before?.itemId === item.id ? before : undefined;
  const stockUnit = item.unitId === null ? null : (references.units.get(item.unitId) ?? null);
  const unit = findLineUnit(references, patch, sameItemLine, getDefaultUnit(references, stockUnit, orderLine), `${path}/unitId`);
  const factor = resolveFactor(item, unit, stockUnit, orderLine, `${path}/unitId`);
  const amounts = resolveAmounts(type, patch, before, path);
  const resolveStockQuantity = (
    amount: number | null,
    field: 'quantity' | 'countedQuantity',
    storedQuantity: number | null | undefined,
  ): number | null => {
    if (amount === null) return null;
    const isUnchanged =
      sameItemLine?.unitId === (unit?.id ?? null) && sameItemLine.orderLineId === orderLineId && sameItemLine[field] === amount;
    if (isUnchanged && typeof storedQuantity === 'number') return storedQuantity;
    checkPrecision(amount, unit, `${path}/${field}`);
    return amount === 0 ? 0 : Math.sign(amount) * convertToStock(Math.abs(amount), factor, stockUnit, `${path}/${field}`);
  };
  const isCount = type === 'count';
  return {
    itemId: item.id,
    direction,
    ...amounts,
    unitId: unit?.id ?? null,
    stockQuantity:
      (isCount
        ? resolveStockQuantity(amounts.countedQuantity, 'countedQuantity', sameItemLine?.stockQuantity)
        : resolveStockQuantity(amounts.quantity, 'quantity', sameItemLine?.stockQuantity)) ?? 0,
    ...(isCount
      ? resolveExpectation(
          patch,
          sameItemLine,
          references.onHand.get(item.id) ?? 0,
          { unit, stockUnit, factor },
          `${path}/expectedQuantity`,
        )
      : NO_EXPECTATION),
    unitCost: resolveUnitCost(type, patch, sameItemLine, amounts.quantity, `${path}/unitCost`),
    orderLineId,
    notes: patch.notes === undefined ? (before?.notes ?? null) : blankToNull(patch.notes),
  };
}

function resolveDirection(type: DocumentType, patch: StockLinePatch, before: StockLineRecord | undefined, path: string) {
  const direction = patch.direction === undefined ? (before?.direction ?? null) : patch.direction;
  if (type !== 'production' || direction !== null) return direction;
  throw invalidField(`${path}/direction`, `${path}/direction is required: in for outputs, out for components`, 'required');
}

function resolveOrderLineId(
  { returnOf }: Pick<StockDocumentRecord, 'returnOf'>,
  patch: StockLinePatch,
  before: StockLineRecord | undefined,
  path: string,
): string | null {
  const orderLineId = patch.orderLineId === undefined ? (before?.orderLineId ?? null) : patch.orderLineId;
  if (orderLineId !== null || typeof returnOf !== 'string') return orderLineId;
  throw invalidField(`${path}/orderLineId`, `${path}/orderLineId is required on a return: the order line that is returned`, 'required');
}

/** Throws a 400 for a field that the document type does not have. Null counts as omitted. */
function checkTypeFields(type: DocumentType, patch: StockLinePatch, path: string): void {
  for (const field of TYPE_FIELDS) {
    if (patch[field] === undefined || patch[field] === null || FIELDS_BY_TYPE[type].includes(field)) continue;
    throw invalidField(
      `${path}/${field}`,
      `${path}/${field} is not allowed on ${type} lines; allowed: ${FIELDS_BY_TYPE[type].join(', ')}`,
      'not_allowed',
    );
  }
}

/** Checks the new item of a line. An inactive item is allowed on a line that fulfils an order line (D-20). */
function checkNewItem(item: ItemRecord, orderLineId: string | null, path: string): void {
  if (item.itemType === 'combo') {
    throw new StockroomError('INVALID_ITEM_TYPE', `${item.name} is a combo, which has no stock of its own. Add its parts instead.`, {
      details: { itemId: item.id, itemType: item.itemType, path },
    });
  }
  if (!item.isActive && orderLineId === null) throw inactiveItem(item, path);
}

/** The unit of the order line that the line fulfils; otherwise, and for parts of a combo, the stock unit of the item. */
const getDefaultUnit = (
  { units }: StockLineReferences,
  stockUnit: UnitRecord | null,
  orderLine: LinkedOrderLine | undefined,
): UnitRecord | null =>
  orderLine && !orderLine.kit ? (orderLine.unitId === null ? null : (units.get(orderLine.unitId) ?? null)) : stockUnit;

/** Converts the unit of the order line as that line does: it may be a supplier's purchase unit. */
function resolveFactor(
  item: ItemRecord,
  unit: UnitRecord | null,
  stockUnit: UnitRecord | null,
  orderLine: LinkedOrderLine | undefined,
  path: string,
): Ratio {
  if (orderLine && !orderLine.kit && orderLine.unitId === (unit?.id ?? null)) return parseFactor(orderLine.stockFactor);
  return getStockFactor(item, unit, stockUnit, undefined, path);
}
