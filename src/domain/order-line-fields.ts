/** One line of an order: what a body may say about it, and what follows from the item, the unit and the module. D-8. */
import { PERCENT_DECIMALS } from '../contract/limits.ts';
import type { ItemType } from '../contract/items.ts';
import { LINE_KINDS_OF, type LineKind, type LinePatch } from '../contract/order-lines.ts';
import { StockroomError, invalidField } from './errors.ts';
import type { ItemRecord } from './items.ts';
import { inactiveItem, itemNamed, unitNamed } from './line-lookups.ts';
import { toMicro, toPositiveMicro } from './numbers.ts';
import { inspectionPart, refuseForeignFields } from './order-line-parts.ts';
import type { LineReferences } from './order-line-references.ts';
import { defaultPrice, defaultUnit } from './order-prices.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { lineAmounts } from './order-totals.ts';
import { checkPrecision, factorText, parseFactor, stockFactor, toStock } from './order-units.ts';
import type { UnitRecord } from './settings.ts';
import { blankToNull } from './text.ts';

/** A line without what the set of lines gives it: its identity, its place and its times. */
export type LineFields = Omit<OrderLineRecord, 'id' | 'orderId' | 'lineNumber' | 'createdAt' | 'updatedAt'>;

const NOTHING_POSTED = { stock: 0, quantity: 0 } as const;

const ITEM_TYPES_OF: Readonly<Record<LineKind, readonly ItemType[]>> = {
  item: ['product', 'material', 'combo'],
  output: ['product'],
  component: ['product', 'material'],
  inspection: ['product', 'material'],
  target: ['product', 'material'],
  part: ['product', 'material'],
  service: ['product', 'material', 'combo'],
};

/**
 * The line after a change, or a new one when there is no `before`. An absent field stays as it is; on a new line, and on one that gets
 * another item, it takes its default. `path` is the line's place in the body.
 */
export function lineFields(
  order: Pick<OrderRecord, 'module' | 'currencyExponent'>,
  references: LineReferences,
  wanted: LinePatch,
  before: LineFields | undefined,
  path: string,
): LineFields {
  const kind = kindOf(order, wanted, before, path);
  refuseForeignFields(kind, wanted, path);
  const item = itemOf(order, references, kind, wanted, before, path);
  const same = before !== undefined && before.itemId === (item?.id ?? null) ? before : undefined;
  const link = item && references.links.get(item.id);
  const stock = item?.unitId ? (references.units.get(item.unitId) ?? null) : null;

  const unit = unitOf(references, wanted, same, defaultUnit(references, item, link), `${path}/unitId`);
  const sameUnit = same !== undefined && same.unitId === (unit?.id ?? null);
  const factor = sameUnit
    ? parseFactor(same.stockFactor)
    : item
      ? stockFactor(item, unit, stock, link, `${path}/unitId`)
      : parseFactor('1');
  const quantity = quantityOf(wanted, before, `${path}/quantity`);
  const counted = sameUnit && same.quantity === quantity;
  // A line from before its item had a unit counts in that.
  const told = unit ?? stock;
  if (!counted) checkPrecision(quantity, told, `${path}/quantity`);

  const priced = {
    quantity,
    unitPrice: priceOf(wanted, same, () => defaultPrice(order.module, item, link, factor, path), `${path}/unitPrice`),
    discountPercent: percentOf(wanted.discountPercent, before?.discountPercent, `${path}/discountPercent`),
    taxPercent: percentOf(wanted.taxPercent, before?.taxPercent, `${path}/taxPercent`),
  };
  return {
    kind,
    itemId: item?.id ?? null,
    itemName: same ? same.itemName : (item?.name ?? null),
    itemSku: same ? same.itemSku : (item?.sku ?? null),
    description: descriptionOf(wanted, same, item, `${path}/description`),
    ...priced,
    unitId: unit?.id ?? null,
    stockQuantity: counted ? same.stockQuantity : toStock(quantity, factor, stock, `${path}/quantity`),
    stockFactor: factorText(factor),
    ...lineAmounts(priced, order.currencyExponent, path),
    fulfilledQuantity: before?.fulfilledQuantity ?? 0,
    posted: before?.posted ?? NOTHING_POSTED,
    kit: same?.kit ?? null,
    siteId: wanted.siteId === undefined ? (before?.siteId ?? null) : wanted.siteId,
    notes: wanted.notes === undefined ? (before?.notes ?? null) : blankToNull(wanted.notes),
    component: kind === 'component' ? (before?.component ?? { sourceIngredientId: null, plannedQuantity: null, isManual: true }) : null,
    inspection:
      kind === 'inspection'
        ? inspectionPart(wanted, before?.inspection ?? undefined, { quantity, unit: told, sameUnit, factor, stock }, path)
        : null,
  };
}

function kindOf({ module }: Pick<OrderRecord, 'module'>, wanted: LinePatch, before: LineFields | undefined, path: string): LineKind {
  const kinds: readonly LineKind[] = LINE_KINDS_OF[module];
  const kind = wanted.kind ?? before?.kind ?? LINE_KINDS_OF[module][0];
  if (!kinds.includes(kind))
    throw invalidField(`${path}/kind`, `${path}/kind must be one of ${kinds.join(', ')} on a ${module} order`, 'not_allowed');
  if (before && kind !== before.kind) {
    throw invalidField(
      `${path}/kind`,
      `${path}/kind: a ${before.kind} line stays one; leave it out and add a line of kind ${kind}`,
      'not_allowed',
    );
  }
  return kind;
}

function itemOf(
  { module }: Pick<OrderRecord, 'module'>,
  { items }: LineReferences,
  kind: LineKind,
  wanted: LinePatch,
  before: LineFields | undefined,
  path: string,
): ItemRecord | undefined {
  const id = wanted.itemId === undefined ? before?.itemId : wanted.itemId;
  if (id === null || id === undefined) {
    if (kind === 'service') return undefined;
    throw invalidField(`${path}/itemId`, `${path}/itemId is required`, 'required');
  }
  const item = itemNamed(items, id, `${path}/itemId`);
  // Work on a line that has the item already goes on (D-20).
  if (before?.itemId === id) return item;
  const types = ITEM_TYPES_OF[kind];
  if (!types.includes(item.itemType) || (module === 'buy' && item.itemType === 'combo')) {
    throw new StockroomError(
      'INVALID_ITEM_TYPE',
      `${item.name} is a ${item.itemType}, which cannot stand on ${module} orders as kind ${kind}.`,
      {
        details: { itemId: id, itemType: item.itemType, path: `${path}/itemId` },
      },
    );
  }
  if (!item.isActive) throw inactiveItem(item, `${path}/itemId`);
  return item;
}

function unitOf(
  { units }: LineReferences,
  { unitId }: LinePatch,
  same: LineFields | undefined,
  fallback: UnitRecord | null,
  path: string,
): UnitRecord | null {
  const before = same && (same.unitId === null ? null : (units.get(same.unitId) ?? null));
  if (unitId === undefined) return before === undefined ? fallback : before;
  if (unitId === null) return before === null ? null : fallback;
  return unitNamed(units, unitId, [before, fallback], path);
}

function quantityOf({ quantity }: LinePatch, before: LineFields | undefined, path: string): number {
  if (quantity !== undefined) return toPositiveMicro(quantity, path);
  if (before) return before.quantity;
  throw invalidField(path, `${path} is required`, 'required');
}

function priceOf({ unitPrice }: LinePatch, same: LineFields | undefined, fallback: () => number | null, path: string): number | null {
  if (unitPrice === null) return null;
  if (unitPrice !== undefined) return toMicro(unitPrice, path);
  return same ? same.unitPrice : fallback();
}

const PERCENT_STEP = 10 ** (6 - PERCENT_DECIMALS);

function percentOf(value: number | undefined, before: number | undefined, path: string): number {
  if (value === undefined) return before ?? 0;
  const micro = toMicro(value, path);
  if (micro % PERCENT_STEP === 0) return micro;
  throw invalidField(path, `${path} has more than ${String(PERCENT_DECIMALS)} decimals`, 'invalid');
}

function descriptionOf({ description }: LinePatch, same: LineFields | undefined, item: ItemRecord | undefined, path: string): string {
  const text = blankToNull(description ?? null);
  if (text !== null) return text;
  if (same && description === undefined) return same.description;
  if (item) return item.name;
  throw invalidField(path, `${path} is required on a service line without item`, 'required');
}
