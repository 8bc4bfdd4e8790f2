/** What only some kinds of line have: results of an inspection, and where a component comes from. D-8. */
import type { LineKind, LinePatch, InspectionResult } from '../contract/order-lines.ts';
import { invalidField } from './errors.ts';
import { toMicro } from './numbers.ts';
import type { InspectionPart } from './order-records.ts';
import { checkPrecision, toStock } from './order-units.ts';
import type { UnitRecord } from './settings.ts';
import { blankToNull } from './text.ts';
import type { Ratio } from './units.ts';

/** Fields that belong to one kind of line. */
const OWNERS = {
  isManual: 'component',
  passedQuantity: 'inspection',
  failedQuantity: 'inspection',
  failureReason: 'inspection',
  failedDisposition: 'inspection',
} as const satisfies Partial<Record<keyof LinePatch, LineKind>>;

export function refuseForeignFields(kind: LineKind, wanted: LinePatch, path: string): void {
  for (const [field, owner] of Object.entries(OWNERS) as [keyof typeof OWNERS, LineKind][]) {
    if (wanted[field] === undefined || owner === kind) continue;
    throw invalidField(
      `${path}/${field}`,
      `${path}/${field} belongs to lines of kind ${owner}; this one is of kind ${kind}`,
      'not_allowed',
    );
  }
}

const UNINSPECTED: InspectionPart = { passedQuantity: 0, failedQuantity: 0, failureReason: null, failedDisposition: 'none' };

/** How much is inspected, in which unit (`sameUnit`: that of before), and what one of it is in the item's stock unit. */
interface Inspected {
  readonly quantity: number;
  readonly unit: UnitRecord | null;
  readonly sameUnit: boolean;
  readonly factor: Ratio;
  readonly stock: UnitRecord | null;
}

/** The inspection after a change: no more inspected than there is, as finely as its unit can tell, and a reason for what failed. */
export function inspectionPart(
  wanted: LinePatch,
  before: InspectionPart = UNINSPECTED,
  { quantity, unit, sameUnit, factor, stock }: Inspected,
  path: string,
): InspectionPart {
  const micro = (field: 'passedQuantity' | 'failedQuantity') => {
    const at = `${path}/${field}`;
    const value = wanted[field] === undefined ? before[field] : toMicro(wanted[field], at);
    if (sameUnit && value === before[field]) return value;
    checkPrecision(value, unit, at);
    // What is scrapped leaves stock: completing must not be the first to find out that it makes no whole piece.
    if (value > 0) toStock(value, factor, stock, at);
    return value;
  };
  const [passedQuantity, failedQuantity] = [micro('passedQuantity'), micro('failedQuantity')];
  if (passedQuantity + failedQuantity > quantity) {
    const at = `${path}/${wanted.failedQuantity === undefined ? 'passedQuantity' : 'failedQuantity'}`;
    throw invalidField(at, `${at}: passedQuantity and failedQuantity together must not exceed the quantity`, 'too_big');
  }
  const failureReason = wanted.failureReason === undefined ? before.failureReason : blankToNull(wanted.failureReason);
  if (failedQuantity > 0 && failureReason === null) {
    throw invalidField(`${path}/failureReason`, `${path}/failureReason is required when failedQuantity is more than 0`, 'required');
  }
  return { passedQuantity, failedQuantity, failureReason, failedDisposition: wanted.failedDisposition ?? before.failedDisposition };
}

/** ours: one failed piece fails the line, whatever is still to be inspected. */
export function resultOf({ passedQuantity, failedQuantity }: InspectionPart, quantity: number): InspectionResult {
  if (failedQuantity > 0) return 'fail';
  return passedQuantity === quantity ? 'pass' : 'pending';
}
