/** The terms on which a supplier sells an item. D-11. */
import { supplierLinkDraft } from '../../contract/resources/suppliers.ts';
import { defineBodyFields } from './body-fields.ts';
import type { ReadTx } from '../tables.ts';
import type { SupplierTerms } from './records.ts';
import { checkUnit } from './unit-ratios.ts';

export const termFields = defineBodyFields(supplierLinkDraft, ['supplierId', 'isPreferred']);

/** A new purchase unit must exist and be active. It may have any dimension: a bag is counted and holds kilograms. */
export async function checkTerms(tx: ReadTx, before: SupplierTerms, after: SupplierTerms): Promise<void> {
  if (after.purchaseUnitId !== before.purchaseUnitId) await checkUnit(tx, after.purchaseUnitId, '/purchaseUnitId');
}
