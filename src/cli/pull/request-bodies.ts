/** Converts records of a remote service to bodies for the local one: the writable fields, with local ids. */
import type { Unit } from '../../contract/resources/setting-records.ts';
import { NUMBER_DECIMALS } from '../../contract/limits.ts';
import { ingredientDraft } from '../../contract/resources/ingredients.ts';
import { itemDraft } from '../../contract/resources/items.ts';
import { orderDraft } from '../../contract/resources/orders.ts';
import { lineDraft } from '../../contract/resources/order-lines.ts';
import { supplierLinkDraft } from '../../contract/resources/suppliers.ts';
import type { ObjectSpec } from '../../contract/schema/builder.ts';
import type { IdMap } from './id-map.ts';
import type { SourceRecord } from './source.ts';
import type { Ref, Settings } from './settings.ts';

export type Draft = Record<string, unknown>;

/** Picks the fields of a record that the body has. Keeps null for nullable fields: it clears a value and prevents a default. */
export function toDraft(body: ObjectSpec, record: Readonly<Draft>): Draft {
  return Object.fromEntries(
    Object.entries(body.properties).flatMap(([name, { nullable }]) => {
      const value = record[name];
      return value === undefined || (value === null && nullable !== true) ? [] : [[name, value]];
    }),
  );
}

const omit = (draft: Draft, ...names: readonly string[]): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([name]) => !names.includes(name)));

/** Converts an item without its supplier, which is linked later. */
export async function toItemDraft(record: SourceRecord, settings: Settings): Promise<Draft> {
  const categoryId = await settings.findOrCreateCategory(record['category'] as Ref | null);
  const unitId = settings.getUnit(record['unitId'])?.id ?? null;
  return { ...omit(toDraft(itemDraft, record), 'supplierId'), categoryId, unitId };
}

/** Returns undefined if the ingredient was not copied. */
export function toIngredientDraft(record: Readonly<Draft>, ids: IdMap, settings: Settings): Draft | undefined {
  const child = ids.get('items', String(record['ingredientItemId']));
  if (!child) return undefined;
  return {
    ...omit(toDraft(ingredientDraft, record), 'unitId', 'position'),
    ingredientItemId: child.id,
    unitId: settings.getUnit(record['unitId'])?.id ?? null,
  };
}

export function toSupplierDraft(record: Readonly<Draft>, ids: IdMap, settings: Settings): Draft | undefined {
  const contact = ids.get('contacts', String(record['supplierId']));
  if (!contact) return undefined;
  return {
    ...omit(toDraft(supplierLinkDraft, record), 'purchaseUnitId'),
    supplierId: contact.id,
    purchaseUnitId: settings.getUnit(record['purchaseUnitId'])?.id ?? null,
  };
}

/** Converts an order with its lines. Users cannot be read, so the copy is not assigned to anyone. */
export async function toOrderDraft(
  record: SourceRecord,
  lines: readonly SourceRecord[],
  { ids, settings, getItemUnit }: { ids: IdMap; settings: Settings; getItemUnit: (id: string) => Unit | null },
): Promise<Draft> {
  const contact = ids.get('contacts', String(record['contactId']));
  const source = ids.get('orders', String(record['sourceOrderId']));
  const siteId = await settings.findOrCreateSite(record['site'] as Ref | null);
  const drafts: Draft[] = [];
  for (const line of lines) {
    await settings.findOrCreateUnit(line['unit'] as Ref | null);
    const own = toDraft(lineDraft, line);
    const item = ids.get('items', String(line['itemId']));
    const isComponent = line['kind'] === 'component';
    drafts.push({
      ...omit(own, 'siteId', 'itemId', 'unitId', 'isManual'),
      ...(item ? { itemId: item.id } : {}),
      ...toQuantityFields(line, settings.getUnit(line['unitId']), item ? getItemUnit(item.id) : null),
      ...(isComponent && line['isManual'] === true ? { isManual: true } : {}),
      siteId: settings.getSite(line['siteId']),
    });
  }
  return {
    ...omit(toDraft(orderDraft, record), 'status', 'assignedTo', 'lines', 'siteId', 'contactId', 'sourceOrderId'),
    ...(contact ? { contactId: contact.id } : {}),
    ...(source ? { sourceOrderId: source.id } : {}),
    siteId,
    lines: drafts,
  };
}

/** Keeps the unit of a quantity if it has the same factor here; otherwise converts to the unit of the item. */
function toQuantityFields(line: SourceRecord, unit: Unit | null, itemUnit: Unit | null): Draft {
  const [quantity, stockQuantity, unitPrice] = [line['quantity'], line['stockQuantity'], line['unitPrice']] as (number | null)[];
  if (!unit || !itemUnit || !quantity || !stockQuantity) return { unitId: unit?.id ?? null };
  const here = (unit.factorNum * itemUnit.factorDen) / (unit.factorDen * itemUnit.factorNum);
  const there = stockQuantity / quantity;
  if (unit.dimension === itemUnit.dimension && Math.abs(here / there - 1) < 1e-6) return { unitId: unit.id };
  const price = typeof unitPrice === 'number' ? { unitPrice: Number((unitPrice / there).toFixed(NUMBER_DECIMALS)) } : {};
  return { unitId: itemUnit.id, quantity: stockQuantity, ...price };
}
