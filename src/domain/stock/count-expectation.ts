/** What a line of a count expects to be on hand at approval: the given quantity, else what was on hand when the line was created (D-12). */
import type { StockLinePatch } from '../../contract/resources/stock-lines.ts';
import type { UnitRecord } from '../catalog/records.ts';
import { checkPrecision, convertFromStock, convertToStock } from '../catalog/unit-conversion.ts';
import type { Ratio } from '../catalog/unit-ratios.ts';
import { toMicro } from '../kernel/numbers.ts';
import type { StockLineRecord } from './records.ts';

type Expectation = Pick<StockLineRecord, 'expectedQuantity' | 'stockExpected'>;

/** The unit of a line, and how it converts to the stock unit of the item. */
interface LineUnit {
  readonly unit: UnitRecord | null;
  readonly stockUnit: UnitRecord | null;
  readonly factor: Ratio;
}

export const NO_EXPECTATION: Expectation = { expectedQuantity: null, stockExpected: null };

/** `before` is the line before the change if it keeps its item. With another unit it expects the same stock. Null expects nothing. */
export function resolveExpectation(
  { expectedQuantity }: StockLinePatch,
  before: StockLineRecord | undefined,
  onHand: number,
  { unit, stockUnit, factor }: LineUnit,
  path: string,
): Expectation {
  if (expectedQuantity === null) return NO_EXPECTATION;
  const hasSameUnit = before !== undefined && before.unitId === (unit?.id ?? null);
  if (expectedQuantity === undefined) {
    if (hasSameUnit || before?.stockExpected === null)
      return { expectedQuantity: before.expectedQuantity, stockExpected: before.stockExpected };
    const stockExpected = before?.stockExpected ?? onHand;
    return { expectedQuantity: convertFromStock(stockExpected, factor), stockExpected };
  }
  const expected = toMicro(expectedQuantity, path);
  if (hasSameUnit && before.expectedQuantity === expected) return { expectedQuantity: expected, stockExpected: before.stockExpected };
  checkPrecision(expected, unit, path);
  return { expectedQuantity: expected, stockExpected: expected === 0 ? 0 : convertToStock(expected, factor, stockUnit, path) };
}
