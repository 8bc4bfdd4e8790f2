/** Items: what may be created, changed and deleted, and what follows from it. */
import type { ItemDraft, ItemPatch, ItemType } from '../contract/items.ts';
import { type Changes, differences, note } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError, duplicateValue, invalidField } from './errors.ts';
import { removeIngredients } from './ingredients.ts';
import { getItem, itemEvent, noteItem } from './item-notes.ts';
import { checkTypeChange, checkUnitChange, refuseUse, usesOf } from './item-use.ts';
import { fromMicro, toMicro } from './numbers.ts';
import { DuplicateKey } from './ports.ts';
import { followItem, removeLevels } from './stock-levels.ts';
import { followUnit } from './supplier-units.ts';
import { checkSupplier, preferSupplier, removeLinks } from './suppliers.ts';
import type { ReadTx, Tx } from './tables.ts';
import { blankToNull, requiredText } from './text.ts';
import { checkUnit } from './units.ts';

export interface ItemRecord {
  readonly id: string;
  readonly name: string;
  readonly itemType: ItemType;
  readonly sku: string | null;
  readonly mpn: string | null;
  readonly barcode: string | null;
  readonly categoryId: string | null;
  readonly unitId: string | null;
  /** The preferred supplier link, always (D-11). */
  readonly supplierId: string | null;
  /** Micro-units of the tenant's currency. */
  readonly salePrice: number | null;
  readonly purchasePrice: number | null;
  readonly supplierCode: string | null;
  readonly notes: string | null;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

type ItemFields = Omit<ItemRecord, 'id' | 'createdAt' | 'updatedAt'>;
const FIELDS = [
  'name',
  'itemType',
  'sku',
  'mpn',
  'barcode',
  'categoryId',
  'unitId',
  'supplierId',
  'salePrice',
  'purchasePrice',
  'supplierCode',
  'notes',
  'isActive',
] as const satisfies readonly (keyof ItemFields)[];

export { getItem };

export async function createItem(tx: Tx, context: Context, draft: ItemDraft): Promise<ItemRecord> {
  const at = context.now.toISOString();
  const fields = merge(EMPTY, draft);
  if (fields.categoryId !== null || fields.unitId !== null || fields.supplierId !== null) await checkReferences(tx, EMPTY, fields);
  const item: ItemRecord = { id: context.newId(), ...fields, createdAt: at, updatedAt: at };
  await putItem(tx, item);
  await note(tx, context, {
    action: 'item.created',
    resourceType: 'item',
    resourceId: item.id,
    event: itemEvent('inventory.item.created', item, []),
  });
  if (item.supplierId !== null) await preferSupplier(tx, context, item);
  return item;
}

export async function updateItem(tx: Tx, context: Context, id: string, patch: ItemPatch): Promise<ItemRecord> {
  const before = await getItem(tx, id);
  const fields = merge(before, patch);
  const changes = differences<ItemFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  await checkReferences(tx, before, fields);
  await checkTypeChange(tx, before, fields.itemType);
  await checkUnitChange(tx, before, fields.unitId);
  const item: ItemRecord = { ...before, ...fields, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await putItem(tx, item);
  await followItem(tx, before, item);
  await noteItem(tx, context, 'item.updated', item, Object.keys(changes), { changes: wireChanges(changes) });
  await followUnit(tx, context, before, item);
  if (item.supplierId !== before.supplierId) await preferSupplier(tx, context, item);
  return item;
}

/** Deletes an item that nothing else refers to, with its own ingredients and supplier links. */
export async function deleteItem(tx: Tx, context: Context, id: string): Promise<void> {
  const item = await getItem(tx, id);
  refuseUse(await usesOf(tx, id), 'Set isActive to false instead.');
  const cascade = { ingredients: await removeIngredients(tx, id), suppliers: await removeLinks(tx, id) };
  await removeLevels(tx, id);
  await tx.items.remove(id);
  const metadata = { name: item.name, sku: item.sku, cascade };
  await noteItem(tx, context, 'item.deleted', item, ['deleted'], { metadata }, { deletedAt: context.now.toISOString() });
}

const EMPTY: ItemFields = {
  name: '',
  itemType: 'product',
  sku: null,
  mpn: null,
  barcode: null,
  categoryId: null,
  unitId: null,
  supplierId: null,
  salePrice: null,
  purchasePrice: null,
  supplierCode: null,
  notes: null,
  isActive: true,
};

/** The fields after a change: an absent one stays, null clears, blank identifiers count as absent (D-19). */
function merge(before: ItemFields, patch: ItemPatch): ItemFields {
  const text = (field: 'sku' | 'mpn' | 'barcode' | 'supplierCode' | 'notes') =>
    patch[field] === undefined ? before[field] : blankToNull(patch[field]);
  const money = (field: 'salePrice' | 'purchasePrice') => {
    const value = patch[field];
    if (value === undefined) return before[field];
    return value === null ? null : toMicro(value, `/${field}`);
  };
  return {
    name: patch.name === undefined ? before.name : requiredText(patch.name, '/name'),
    itemType: patch.itemType ?? before.itemType,
    sku: text('sku'),
    mpn: text('mpn'),
    barcode: text('barcode'),
    categoryId: patch.categoryId === undefined ? before.categoryId : patch.categoryId,
    unitId: patch.unitId === undefined ? before.unitId : patch.unitId,
    supplierId: patch.supplierId === undefined ? before.supplierId : patch.supplierId,
    salePrice: money('salePrice'),
    purchasePrice: money('purchasePrice'),
    supplierCode: text('supplierCode'),
    notes: text('notes'),
    isActive: patch.isActive ?? before.isActive,
  };
}

/** Changed references must exist in this tenant and be active; a wrong one is a field error that says where valid ids are listed. */
async function checkReferences(tx: ReadTx, before: ItemFields, after: ItemFields): Promise<void> {
  const { categoryId, unitId, supplierId } = after;
  if (categoryId !== null && categoryId !== before.categoryId) {
    const category = await tx.categories.get(categoryId);
    if (!category)
      throw invalidField('/categoryId', `There is no category ${categoryId}; 'stockroom categories list' shows the valid ids.`);
    if (!category.isActive) {
      throw new StockroomError('INACTIVE_REFERENCE', `Category ${category.name} is inactive; activate it or choose another one.`);
    }
  }
  if (unitId !== before.unitId) await checkUnit(tx, unitId, '/unitId');
  if (supplierId !== null && supplierId !== before.supplierId) await checkSupplier(tx, supplierId);
}

async function putItem(tx: Tx, item: ItemRecord): Promise<void> {
  try {
    await tx.items.put(item);
  } catch (error) {
    if (error instanceof DuplicateKey && (error.key === 'sku' || error.key === 'barcode')) {
      throw duplicateValue(error.key, item[error.key] ?? '', error.existingId);
    }
    throw error;
  }
}

/** Audit rows show prices as they look on the wire. */
function wireChanges(changes: Changes): Changes {
  const wire = (value: unknown) => (typeof value === 'number' ? fromMicro(value) : value);
  return Object.fromEntries(Object.entries(changes).map(([field, { from, to }]) => [field, { from: wire(from), to: wire(to) }]));
}

/** 412 when the caller's If-Match names another version. */
export function checkVersion(ifMatch: string | undefined, updatedAt: string): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  const versions = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//u, ''));
  // Many send the field as it stands in the record; "it changed" would be wrong about that.
  if (!versions.includes(`"${updatedAt}"`) && !versions.includes(updatedAt)) {
    throw new StockroomError('PRECONDITION_FAILED', `The record changed at ${updatedAt}; read it again and repeat the change.`, {
      details: { updatedAt },
    });
  }
}
