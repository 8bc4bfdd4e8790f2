/** Creates, updates and deletes items. */
import type { ItemPatch, NewItem } from '../../contract/resources/items.ts';
import { diffFields, recordChange } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { duplicateValue, inactiveReference, invalidField } from '../kernel/errors.ts';
import { EXTERNAL_FIELDS, type ExternalFields, applyExternalFields } from '../kernel/external-fields.ts';
import { removeIngredients } from './ingredients.ts';
import { itemFields } from './item-fields.ts';
import { buildItemEvent, recordItemChange } from './item-events.ts';
import { getItem } from './item-rows.ts';
import { checkTypeChange, checkUnitChange, checkUnused } from './item-usage.ts';
import { DuplicateKey } from '../kernel/ports.ts';
import { removeLevels, updateLevelsOfItem } from './item-levels.ts';
import { convertSupplierUnits } from './supplier-units.ts';
import { checkSupplier, listSupplierLinks, syncPreferredSupplier, removeSupplierLinks } from './suppliers.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { checkUnit } from './unit-ratios.ts';
import type { ItemRecord } from './records.ts';

type ItemFields = Omit<ItemRecord, 'id' | 'createdAt' | 'updatedAt'>;

export async function createItem(tx: Tx, context: Context, draft: NewItem): Promise<ItemRecord> {
  const at = context.now.toISOString();
  const fields = itemFields.merge(itemFields.empty, draft);
  if (fields.categoryId !== null || fields.unitId !== null || fields.supplierId !== null)
    await checkReferences(tx, itemFields.empty, fields);
  const item = applyExternalFields<ItemRecord>({ id: context.newId(), ...fields, createdAt: at, updatedAt: at }, draft);
  await putItem(tx, item);
  await recordChange(tx, context, {
    action: 'item.created',
    resourceType: 'item',
    resourceId: item.id,
    event: buildItemEvent('inventory.item.created', item, []),
  });
  if (item.supplierId !== null) await syncPreferredSupplier(tx, context, item, []);
  return item;
}

export async function updateItem(tx: Tx, context: Context, id: string, patch: ItemPatch): Promise<ItemRecord> {
  const before = await getItem(tx, id);
  const fields = itemFields.merge(before, patch);
  const changed = applyExternalFields({ ...before, ...fields }, patch);
  const changes = { ...itemFields.diff(before, fields), ...diffFields<ExternalFields>(before, changed, EXTERNAL_FIELDS) };
  if (Object.keys(changes).length === 0) return before;
  await checkReferences(tx, before, fields);
  await checkTypeChange(tx, before, fields.itemType);
  await checkUnitChange(tx, before, fields.unitId);
  const item: ItemRecord = { ...changed, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await putItem(tx, item);
  await updateLevelsOfItem(tx, before, item);
  await recordItemChange(tx, context, 'item.updated', item, Object.keys(changes), { changes });
  await convertSupplierUnits(tx, context, before, item);
  if (item.supplierId !== before.supplierId) await syncPreferredSupplier(tx, context, item, await listSupplierLinks(tx, id));
  return item;
}

/** Deletes an unused item with its ingredients and supplier links. */
export async function deleteItem(tx: Tx, context: Context, id: string): Promise<void> {
  const item = await getItem(tx, id);
  await checkUnused(tx, id);
  const cascade = { ingredients: await removeIngredients(tx, id), suppliers: await removeSupplierLinks(tx, id) };
  await removeLevels(tx, id);
  await tx.items.remove(id);
  const metadata = { name: item.name, sku: item.sku, cascade };
  const deletedAt = getNextTimestamp(context.now, item.updatedAt);
  await recordItemChange(tx, context, 'item.deleted', { ...item, updatedAt: deletedAt }, ['deleted'], { metadata }, { deletedAt });
}

/** Changed references must exist in the tenant and be active. */
async function checkReferences(tx: ReadTx, before: ItemFields, after: ItemFields): Promise<void> {
  const { categoryId, unitId, supplierId } = after;
  await runChecks(
    () => (categoryId === null || categoryId === before.categoryId ? undefined : checkCategory(tx, categoryId)),
    () => (unitId === before.unitId ? undefined : checkUnit(tx, unitId, '/unitId')),
    () => (supplierId === null || supplierId === before.supplierId ? undefined : checkSupplier(tx, supplierId)),
  );
}

async function checkCategory(tx: ReadTx, id: string): Promise<void> {
  const category = await tx.categories.get(id);
  if (!category) throw invalidField('/categoryId', `There is no category ${id}.`);
  if (!category.isActive) throw inactiveReference(`Category ${category.name}`, { categoryId: id }, '/categoryId');
}

async function putItem(tx: Tx, item: ItemRecord): Promise<void> {
  try {
    await tx.items.put(item);
  } catch (error) {
    if (error instanceof DuplicateKey && (error.key === 'sku' || error.key === 'barcode' || error.key === 'externalId')) {
      throw duplicateValue(error.key, item[error.key] ?? '', error.existingId);
    }
    throw error;
  }
}

/** Runs independent checks concurrently, because each may cost a round trip to the store. Throws the error of the first one in the list that failed. */
async function runChecks(...checks: readonly (() => Promise<unknown> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(checks.map(async (check) => check()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
