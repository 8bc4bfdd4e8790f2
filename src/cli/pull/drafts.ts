/** Records of another service as bodies for this one: what the contract lets a caller set, with the ids of the copies. */
import type { Unit } from '../../contract/admin/units.ts';
import { NUMBER_DECIMALS } from '../../contract/limits.ts';
import { orderDraft } from '../../contract/orders.ts';
import { lineDraft } from '../../contract/order-lines.ts';
import type { ObjectSpec } from '../../contract/schema.ts';
import type { IdMap } from './id-map.ts';
import type { Rec } from './origin.ts';
import type { Ref, Settings } from './settings.ts';

export type Draft = Record<string, unknown>;

/** The fields of a record that a body has too. Null is kept where it may be sent: it clears what was there, and keeps out a default. */
export function draftOf(body: ObjectSpec, record: Readonly<Record<string, unknown>>): Draft {
  return Object.fromEntries(
    Object.entries(body.properties).flatMap(([name, { nullable }]) => {
      const value = record[name];
      return value === undefined || (value === null && nullable !== true) ? [] : [[name, value]];
    }),
  );
}

const without = (draft: Draft, ...names: readonly string[]): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([name]) => !names.includes(name)));

/** An item without its supplier, whose link comes later with its terms. */
export async function itemOf(body: ObjectSpec, record: Rec, settings: Settings): Promise<Draft> {
  const categoryId = await settings.category(record['category'] as Ref | null);
  const unitId = settings.unit(record['unitId'])?.id ?? null;
  return { ...without(draftOf(body, record), 'supplierId'), categoryId, unitId };
}

/** Undefined: it refers to something that was not copied. */
export function ingredientOf(
  body: ObjectSpec,
  record: Readonly<Record<string, unknown>>,
  ids: IdMap,
  settings: Settings,
): Draft | undefined {
  const child = ids.get('items', String(record['ingredientItemId']));
  if (!child) return undefined;
  return {
    ...without(draftOf(body, record), 'unitId', 'position'),
    ingredientItemId: child.id,
    unitId: settings.unit(record['unitId'])?.id ?? null,
  };
}

export function supplierOf(body: ObjectSpec, record: Readonly<Record<string, unknown>>, ids: IdMap, settings: Settings): Draft | undefined {
  const contact = ids.get('contacts', String(record['supplierId']));
  if (!contact) return undefined;
  return {
    ...without(draftOf(body, record), 'purchaseUnitId'),
    supplierId: contact.id,
    purchaseUnitId: settings.unit(record['purchaseUnitId'])?.id ?? null,
  };
}

/** An order with its lines, as a draft or open. Users cannot be read, so nobody is assigned. */
export async function orderOf(
  record: Rec,
  lines: readonly Rec[],
  { ids, settings, unitOfItem }: { ids: IdMap; settings: Settings; unitOfItem: (id: string) => Unit | null },
): Promise<Draft> {
  const contact = ids.get('contacts', String(record['contactId']));
  const source = ids.get('orders', String(record['sourceOrderId']));
  const siteId = await settings.site(record['site'] as Ref | null);
  const drafts: Draft[] = [];
  for (const line of lines) {
    await settings.meetUnit(line['unit'] as Ref | null);
    const own = draftOf(lineDraft, line);
    const item = ids.get('items', String(line['itemId']));
    const isComponent = line['kind'] === 'component';
    drafts.push({
      ...without(own, 'siteId', 'itemId', 'unitId', 'isManual'),
      ...(item ? { itemId: item.id } : {}),
      ...amountOf(line, settings.unit(line['unitId']), item ? unitOfItem(item.id) : null),
      ...(isComponent && line['isManual'] === true ? { isManual: true } : {}),
      siteId: settings.siteOf(line['siteId']),
    });
  }
  return {
    ...without(draftOf(orderDraft, record), 'status', 'assignedTo', 'lines', 'siteId', 'contactId', 'sourceOrderId'),
    ...(contact ? { contactId: contact.id } : {}),
    ...(source ? { sourceOrderId: source.id } : {}),
    siteId,
    lines: drafts,
  };
}

/** The quantity in the unit it has there when that is worth the same here, else in the unit of the item. */
function amountOf(line: Rec, unit: Unit | null, itemUnit: Unit | null): Draft {
  const [quantity, stockQuantity, unitPrice] = [line['quantity'], line['stockQuantity'], line['unitPrice']] as (number | null)[];
  if (!unit || !itemUnit || !quantity || !stockQuantity) return { unitId: unit?.id ?? null };
  const here = (unit.factorNum * itemUnit.factorDen) / (unit.factorDen * itemUnit.factorNum);
  const there = stockQuantity / quantity;
  if (unit.dimension === itemUnit.dimension && Math.abs(here / there - 1) < 1e-6) return { unitId: unit.id };
  const price = typeof unitPrice === 'number' ? { unitPrice: Number((unitPrice / there).toFixed(NUMBER_DECIMALS)) } : {};
  return { unitId: itemUnit.id, quantity: stockQuantity, ...price };
}
