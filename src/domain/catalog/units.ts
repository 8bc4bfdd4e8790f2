/** Creates, updates and deletes units of measure. `unit-ratios.ts` converts between them. */
import { COMMON_UNITS, type UnitDraft, type UnitPatch } from '../../contract/admin/units.ts';
import { type Changes, diffFields, recordChange, toSettingEvent } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { duplicateValue, notFound } from '../kernel/errors.ts';
import { DuplicateKey, type NewId } from '../kernel/ports.ts';
import { checkUnreferenced, countReferences, getItemNames, nameOwners } from '../kernel/references.ts';
import type { UnitRecord } from './records.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { requireText } from '../kernel/text.ts';

type UnitFields = Omit<UnitRecord, 'id' | 'createdAt' | 'updatedAt'>;
const FIELDS = [
  'name',
  'symbol',
  'dimension',
  'factorNum',
  'factorDen',
  'precision',
  'isActive',
] as const satisfies readonly (keyof UnitFields)[];

export const createCommonUnits = (newId: NewId, at: string): UnitRecord[] =>
  COMMON_UNITS.map((unit) => ({ id: newId(), ...unit, isActive: true, createdAt: at, updatedAt: at }));

export async function getUnit(tx: ReadTx, id: string): Promise<UnitRecord> {
  const unit = await tx.units.get(id);
  if (!unit) throw notFound('unit', id);
  return unit;
}

export async function createUnit(tx: Tx, context: Context, draft: UnitDraft): Promise<UnitRecord> {
  const at = context.now.toISOString();
  const unit: UnitRecord = { id: context.newId(), ...mergeFields(draft, {}), createdAt: at, updatedAt: at };
  await putUnit(tx, unit);
  await recordUnitChange(tx, context, 'unit.created', unit);
  return unit;
}

export async function updateUnit(tx: Tx, context: Context, id: string, patch: UnitPatch): Promise<UnitRecord> {
  const before = await getUnit(tx, id);
  const fields = mergeFields(before, patch);
  const changes = diffFields<UnitFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  if (changesMeaning(before, fields))
    await checkUnused(tx, id, 'Its dimension and factor cannot change, and its precision can only increase. Create another unit instead.');
  const unit: UnitRecord = { ...before, ...fields, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await putUnit(tx, unit);
  await recordUnitChange(tx, context, 'unit.updated', unit, changes);
  return unit;
}

export async function deleteUnit(tx: Tx, context: Context, id: string): Promise<void> {
  const unit = await getUnit(tx, id);
  await checkUnused(tx, id, 'Deactivate it instead: set isActive to false.');
  await tx.units.remove(id);
  await recordUnitChange(tx, context, 'unit.deleted', unit, {}, { name: unit.name, symbol: unit.symbol });
}

/** Whether existing quantities would change their meaning or exceed the precision. */
const changesMeaning = (before: UnitFields, after: UnitFields): boolean =>
  before.dimension !== after.dimension ||
  before.factorNum !== after.factorNum ||
  before.factorDen !== after.factorDen ||
  after.precision < before.precision;

async function checkUnused(tx: ReadTx, id: string, hint: string): Promise<void> {
  const ofUnit = [{ field: 'unitId', equals: id }];
  const owners = nameOwners(tx);
  await checkUnreferenced(
    'unit',
    {
      items: await countReferences(tx.items, ofUnit, getItemNames),
      ingredients: await countReferences(tx.ingredients, ofUnit, owners.getItems),
      supplierLinks: await countReferences(tx.supplierLinks, [{ field: 'purchaseUnitId', equals: id }], owners.getItems),
      orderLines: await countReferences(tx.orderLines, ofUnit, owners.getOrders),
      stockDocumentLines: await countReferences(tx.stockDocumentLines, ofUnit, owners.getDocuments),
    },
    hint,
  );
}

function mergeFields(before: UnitFields, patch: UnitPatch): UnitFields {
  return {
    name: requireText(patch.name ?? before.name, '/name'),
    symbol: requireText(patch.symbol ?? before.symbol, '/symbol'),
    dimension: patch.dimension ?? before.dimension,
    factorNum: patch.factorNum ?? before.factorNum,
    factorDen: patch.factorDen ?? before.factorDen,
    precision: patch.precision ?? before.precision,
    isActive: patch.isActive ?? before.isActive,
  };
}

async function putUnit(tx: Tx, unit: UnitRecord): Promise<void> {
  try {
    await tx.units.put(unit);
  } catch (error) {
    throw error instanceof DuplicateKey ? duplicateValue('symbol', unit.symbol, error.existingId) : error;
  }
}

const recordUnitChange = (
  tx: Tx,
  context: Context,
  action: 'unit.created' | 'unit.updated' | 'unit.deleted',
  unit: UnitRecord,
  changes: Changes = {},
  metadata = {},
): Promise<void> => {
  const event = toSettingEvent(context, action, unit, changes, FIELDS);
  return recordChange(tx, context, { action, resourceType: 'unit', resourceId: unit.id, changes, metadata, event });
};
