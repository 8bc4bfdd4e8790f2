/** On what terms a supplier sells an item. D-11. */
import type { SupplierLinkPatch } from '../contract/suppliers.ts';
import { type Changes, differences } from './changes.ts';
import { MICRO, fromMicro, toMicro, toPositiveMicro } from './numbers.ts';
import type { ReadTx } from './tables.ts';
import { blankToNull } from './text.ts';
import { checkUnit } from './units.ts';

export interface SupplierTerms {
  readonly supplierCode: string | null;
  /** Micro-units per purchase unit. */
  readonly purchasePrice: number | null;
  /** Null: the item's own unit. */
  readonly purchaseUnitId: string | null;
  /** Micro-units: stock units in one purchase unit. */
  readonly unitsPerPurchaseUnit: number;
  /** Micro-units of the purchase unit. */
  readonly minOrderQuantity: number | null;
  readonly orderMultiple: number | null;
  readonly leadTimeDays: number | null;
  readonly notes: string | null;
}

const TERMS = [
  'supplierCode',
  'purchasePrice',
  'purchaseUnitId',
  'unitsPerPurchaseUnit',
  'minOrderQuantity',
  'orderMultiple',
  'leadTimeDays',
  'notes',
] as const satisfies readonly (keyof SupplierTerms)[];

/** What a link says when it says nothing but the supplier. */
export const NO_TERMS: SupplierTerms = {
  supplierCode: null,
  purchasePrice: null,
  purchaseUnitId: null,
  unitsPerPurchaseUnit: MICRO,
  minOrderQuantity: null,
  orderMultiple: null,
  leadTimeDays: null,
  notes: null,
};

/** The terms after a change: an absent one stays, null clears. */
export function mergeTerms(before: SupplierTerms, patch: SupplierLinkPatch): SupplierTerms {
  const number = (field: 'purchasePrice' | 'minOrderQuantity' | 'orderMultiple', convert: typeof toMicro) => {
    const value = patch[field];
    if (value === undefined) return before[field];
    return value === null ? null : convert(value, `/${field}`);
  };
  const text = (field: 'supplierCode' | 'notes') => (patch[field] === undefined ? before[field] : blankToNull(patch[field]));
  const { unitsPerPurchaseUnit: units } = patch;
  return {
    supplierCode: text('supplierCode'),
    purchasePrice: number('purchasePrice', toMicro),
    purchaseUnitId: patch.purchaseUnitId === undefined ? before.purchaseUnitId : patch.purchaseUnitId,
    unitsPerPurchaseUnit: units === undefined ? before.unitsPerPurchaseUnit : toPositiveMicro(units, '/unitsPerPurchaseUnit'),
    minOrderQuantity: number('minOrderQuantity', toMicro),
    orderMultiple: number('orderMultiple', toPositiveMicro),
    leadTimeDays: patch.leadTimeDays === undefined ? before.leadTimeDays : patch.leadTimeDays,
    notes: text('notes'),
  };
}

/** A newly named purchase unit must exist and be active; it may have any dimension, because a bag is counted and holds kilograms. */
export async function checkTerms(tx: ReadTx, before: SupplierTerms, after: SupplierTerms): Promise<void> {
  if (after.purchaseUnitId !== before.purchaseUnitId) await checkUnit(tx, after.purchaseUnitId, '/purchaseUnitId');
}

/** The terms with their numbers as they look on the wire. */
export function wireTerms(terms: SupplierTerms): SupplierTerms {
  const wire = (micro: number | null) => (micro === null ? null : fromMicro(micro));
  return {
    supplierCode: terms.supplierCode,
    purchasePrice: wire(terms.purchasePrice),
    purchaseUnitId: terms.purchaseUnitId,
    unitsPerPurchaseUnit: fromMicro(terms.unitsPerPurchaseUnit),
    minOrderQuantity: wire(terms.minOrderQuantity),
    orderMultiple: wire(terms.orderMultiple),
    leadTimeDays: terms.leadTimeDays,
    notes: terms.notes,
  };
}

/** The terms that differ, with wire values. */
export const termChanges = (before: SupplierTerms, after: SupplierTerms): Changes =>
  differences<SupplierTerms>(wireTerms(before), wireTerms(after), TERMS);
