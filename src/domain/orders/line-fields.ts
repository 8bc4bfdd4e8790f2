/** Builds the fields of an order line from a request body, with defaults from the item, unit and module. D-8. */
import { PERCENT_DECIMALS } from '../../contract/limits.ts';
import type { ItemType } from '../../contract/resources/items.ts';
import { LINE_KINDS_BY_MODULE, type LineKind, type LinePatch } from '../../contract/resources/order-lines.ts';
import type { OrderModule } from '../../contract/resources/orders.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import type { ItemRecord } from '../catalog/records.ts';
import { findLineItem, findLineUnit, inactiveItem, missingItem } from '../catalog/item-lines.ts';
import { toMicro, toPositiveMicro } from '../kernel/numbers.ts';
import { buildInspection, checkKindFields } from './line-kind-fields.ts';
import type { LineReferences } from './line-references.ts';
import { getDefaultPrice, getDefaultUnit } from './line-defaults.ts';
import { type LinePrice, NO_PRICE } from './line-price.ts';
import type { OrderLineRecord, OrderRecord } from './records.ts';
import { calculateLineAmounts } from './totals.ts';
import { checkPrecision, formatFactor, parseFactor, getStockFactor, convertToStock } from '../catalog/unit-conversion.ts';
import { blankToNull } from '../kernel/text.ts';

/** An order line without ids, line number and timestamps. */
export type LineFields = Omit<OrderLineRecord, 'id' | 'orderId' | 'lineNumber' | 'createdAt' | 'updatedAt'>;

/** A new line, or an existing one (`before`) with its fields after the change. */
export interface LineChange {
  readonly before?: OrderLineRecord;
  readonly fields: LineFields;
  /** The body has `isManual: false`: derive the quantity of the component again. */
  readonly isReleased?: boolean;
}

const NOTHING_POSTED = { stock: 0, quantity: 0 } as const;

const ITEM_TYPES_BY_KIND: Readonly<Record<LineKind, readonly ItemType[]>> = {
  item: ['product', 'material', 'combo'],
  output: ['product'],
  component: ['product', 'material'],
  inspection: ['product', 'material'],
  target: ['product', 'material'],
  part: ['product', 'material'],
  service: ['product', 'material', 'combo'],
};

/**
 * The fields of a line after a patch, or of a new line without `before`. Omitted fields are unchanged. A new line takes all defaults; a line
 * that gets another item takes those of unit, price, name, SKU and description. `path` is the JSON pointer of the line in the body.
 */
export function buildLineFields(
  order: Pick<OrderRecord, 'module' | 'currencyExponent'>,
  references: LineReferences,
  patch: LinePatch,
  before: LineFields | undefined,
  path: string,
): LineFields {
  const kind = resolveKind(order, patch, before, path);
  checkKindFields(kind, patch, path);
  const itemPath = `${path}/itemId`;
  const item = findLineItem(references, patch, before, (found) => checkNewItem(order.module, kind, found, itemPath), itemPath);
  if (!item && kind !== 'service') throw missingItem(itemPath);
  const sameItemLine = before !== undefined && before.itemId === (item?.id ?? null) ? before : undefined;
  const link = item && references.links.get(item.id);
  const stockUnit = item?.unitId ? (references.units.get(item.unitId) ?? null) : null;

  const unit = findLineUnit(references, patch, sameItemLine, getDefaultUnit(references, item, link), `${path}/unitId`);
  const hasSameUnit = sameItemLine !== undefined && sameItemLine.unitId === (unit?.id ?? null);
  const factor = hasSameUnit
    ? parseFactor(sameItemLine.stockFactor)
    : item
      ? getStockFactor(item, unit, stockUnit, link, `${path}/unitId`)
      : parseFactor('1');
  const quantity = resolveQuantity(patch, before, `${path}/quantity`);
  const hasSameQuantity = hasSameUnit && sameItemLine.quantity === quantity;
  // A line older than the unit of its item counts in that unit.
  const precisionUnit = unit ?? stockUnit;
  if (!hasSameQuantity) checkPrecision(quantity, precisionUnit, `${path}/quantity`);

  const priceInputs = {
    quantity,
    ...resolvePrice(patch, sameItemLine, hasSameUnit, () => getDefaultPrice(order.module, item, link, factor, path), `${path}/unitPrice`),
    discountPercent: resolvePercent(patch.discountPercent, before?.discountPercent, `${path}/discountPercent`),
    taxPercent: resolvePercent(patch.taxPercent, before?.taxPercent, `${path}/taxPercent`),
  };
  const measure = { quantity, unit: precisionUnit, hasSameUnit, factor, stockUnit };
  return {
    kind,
    itemId: item?.id ?? null,
    itemName: sameItemLine ? sameItemLine.itemName : (item?.name ?? null),
    itemSku: sameItemLine ? sameItemLine.itemSku : (item?.sku ?? null),
    description: resolveDescription(patch, sameItemLine, item, `${path}/description`),
    ...priceInputs,
    unitId: unit?.id ?? null,
    stockQuantity: hasSameQuantity ? sameItemLine.stockQuantity : convertToStock(quantity, factor, stockUnit, `${path}/quantity`),
    stockFactor: formatFactor(factor),
    ...calculateLineAmounts(priceInputs, order.currencyExponent, path),
    fulfilledQuantity: before?.fulfilledQuantity ?? 0,
    posted: before?.posted ?? NOTHING_POSTED,
    kit: sameItemLine?.kit ?? null,
    returned: before === undefined ? null : before.returned,
    siteId: patch.siteId === undefined ? (before?.siteId ?? null) : patch.siteId,
    notes: patch.notes === undefined ? (before?.notes ?? null) : blankToNull(patch.notes),
    component: kind === 'component' ? (before?.component ?? { sourceIngredientId: null, plannedQuantity: null, isManual: true }) : null,
    inspection: kind === 'inspection' ? buildInspection(patch, before?.inspection ?? undefined, measure, path) : null,
  };
}

function resolveKind({ module }: Pick<OrderRecord, 'module'>, patch: LinePatch, before: LineFields | undefined, path: string): LineKind {
  const kinds: readonly LineKind[] = LINE_KINDS_BY_MODULE[module];
  const kind = patch.kind ?? before?.kind ?? LINE_KINDS_BY_MODULE[module][0];
  if (!kinds.includes(kind))
    throw invalidField(`${path}/kind`, `${path}/kind must be ${kinds.join(' or ')} on a ${module} order`, 'not_allowed');
  if (before && kind !== before.kind) {
    throw invalidField(
      `${path}/kind`,
      `${path}/kind: the kind of a line cannot change. Remove the ${before.kind} line and add one of kind ${kind}`,
      'not_allowed',
    );
  }
  return kind;
}

/** Checks that the item is active and its type is allowed on such a line. */
function checkNewItem(module: OrderModule, kind: LineKind, item: ItemRecord, path: string): void {
  const { id, name, itemType, isActive } = item;
  if (!ITEM_TYPES_BY_KIND[kind].includes(itemType) || (module === 'buy' && itemType === 'combo')) {
    throw new StockroomError('INVALID_ITEM_TYPE', `${name} is a ${itemType}, which is not allowed on ${kind} lines of ${module} orders.`, {
      details: { itemId: id, itemType, path },
    });
  }
  if (!isActive) throw inactiveItem(item, path);
}

function resolveQuantity({ quantity }: LinePatch, before: LineFields | undefined, path: string): number {
  if (quantity !== undefined) return toPositiveMicro(quantity, path);
  if (before) return before.quantity;
  throw invalidField(path, `${path} is required`, 'required');
}

/** The price of the body, else that of the line, else the default. Setting the price that the line shows changes nothing (D-5). */
function resolvePrice(
  { unitPrice }: LinePatch,
  sameItemLine: LineFields | undefined,
  hasSameUnit: boolean,
  getDefault: () => LinePrice,
  path: string,
): LinePrice {
  if (unitPrice === null) return NO_PRICE;
  const price = unitPrice === undefined ? sameItemLine?.unitPrice : toMicro(unitPrice, path);
  if (price === undefined) return getDefault();
  const isSame = hasSameUnit && sameItemLine?.unitPrice === price;
  return { unitPrice: price, exactPrice: isSame ? sameItemLine.exactPrice : null };
}

const PERCENT_STEP = 10 ** (6 - PERCENT_DECIMALS);

function resolvePercent(value: number | undefined, before: number | undefined, path: string): number {
  if (value === undefined) return before ?? 0;
  const micro = toMicro(value, path);
  if (micro % PERCENT_STEP === 0) return micro;
  throw invalidField(path, `${path} has more than ${String(PERCENT_DECIMALS)} decimals`, 'invalid');
}

function resolveDescription(
  { description }: LinePatch,
  sameItemLine: LineFields | undefined,
  item: ItemRecord | undefined,
  path: string,
): string {
  const text = blankToNull(description ?? null);
  if (text !== null) return text;
  if (sameItemLine && description === undefined) return sameItemLine.description;
  if (item) return item.name;
  throw invalidField(path, `${path} is required on a service line without an item`, 'required');
}
