/** Fields of only some kinds of order lines: inspection results, and whether a component is manual. D-8. */
import type { LineKind, LinePatch, InspectionResult } from '../../contract/resources/order-lines.ts';
import { invalidField } from '../kernel/errors.ts';
import { toMicro } from '../kernel/numbers.ts';
import type { InspectionPart } from './records.ts';
import { checkPrecision, convertToStock } from '../catalog/unit-conversion.ts';
import type { UnitRecord } from '../catalog/records.ts';
import { blankToNull } from '../kernel/text.ts';
import type { Ratio } from '../catalog/unit-ratios.ts';

/** The kind of line that a field is for. */
const KIND_BY_FIELD = {
  isManual: 'component',
  passedQuantity: 'inspection',
  failedQuantity: 'inspection',
  failureReason: 'inspection',
  failedDisposition: 'inspection',
} as const satisfies Partial<Record<keyof LinePatch, LineKind>>;

/** Throws a 400 for a field that is for another kind of line. */
export function checkKindFields(kind: LineKind, patch: LinePatch, path: string): void {
  for (const [field, fieldKind] of Object.entries(KIND_BY_FIELD) as [keyof typeof KIND_BY_FIELD, LineKind][]) {
    if (patch[field] === undefined || fieldKind === kind) continue;
    throw invalidField(
      `${path}/${field}`,
      `${path}/${field} is for ${fieldKind} lines only; this is a line of kind ${kind}`,
      'not_allowed',
    );
  }
}

const NOT_INSPECTED: InspectionPart = { passedQuantity: 0, failedQuantity: 0, failureReason: null, failedDisposition: 'none' };

/** The inspected line. `factor` converts its unit to `stockUnit`, the stock unit of the item. */
interface InspectedLine {
  readonly quantity: number;
  readonly unit: UnitRecord | null;
  readonly hasSameUnit: boolean;
  readonly factor: Ratio;
  readonly stockUnit: UnitRecord | null;
}

/** The inspection after a patch. Checks that quantities fit the line and the precision of its unit, and that failures have a reason. */
export function buildInspection(
  patch: LinePatch,
  before: InspectionPart = NOT_INSPECTED,
  { quantity, unit, hasSameUnit: sameUnit, factor, stockUnit: stock }: InspectedLine,
  path: string,
): InspectionPart {
  const resolveQuantity = (field: 'passedQuantity' | 'failedQuantity') => {
    const fieldPath = `${path}/${field}`;
    const value = patch[field] === undefined ? before[field] : toMicro(patch[field], fieldPath);
    if (sameUnit && value === before[field]) return value;
    checkPrecision(value, unit, fieldPath);
    // Completing the order posts scrapped quantities, so check now that they convert to the stock unit.
    if (value > 0) convertToStock(value, factor, stock, fieldPath);
    return value;
  };
  const [passedQuantity, failedQuantity] = [resolveQuantity('passedQuantity'), resolveQuantity('failedQuantity')];
  if (passedQuantity + failedQuantity > quantity) {
    const fieldPath = `${path}/${patch.failedQuantity === undefined ? 'passedQuantity' : 'failedQuantity'}`;
    throw invalidField(fieldPath, `${fieldPath}: passedQuantity and failedQuantity together must not exceed the quantity`, 'too_big');
  }
  const failureReason = patch.failureReason === undefined ? before.failureReason : blankToNull(patch.failureReason);
  if (failedQuantity > 0 && failureReason === null) {
    throw invalidField(`${path}/failureReason`, `${path}/failureReason is required when failedQuantity is more than 0`, 'required');
  }
  return { passedQuantity, failedQuantity, failureReason, failedDisposition: patch.failedDisposition ?? before.failedDisposition };
}

/** One failed piece fails the line, even before all pieces are inspected. */
export function getInspectionResult({ passedQuantity, failedQuantity }: InspectionPart, quantity: number): InspectionResult {
  if (failedQuantity > 0) return 'fail';
  return passedQuantity === quantity ? 'pass' : 'pending';
}
