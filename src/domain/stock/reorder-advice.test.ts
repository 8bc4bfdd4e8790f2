import { expect, test } from 'vitest';
import { MICRO } from '../kernel/numbers.ts';
import { getNeededQuantity, getPurchaseQuantity } from './reorder-advice.ts';

const micro = (value: number | null) => (value === null ? null : value * MICRO);

test.for([
  ['a low level is filled to twice its reorder point', 30, 120, 0, 210],
  ['a level that is low at a reorder point of 0 needs at least one', 0, 0, 0, 1],
  ['an oversold level without a reorder point needs what is missing', -7, null, 0, 7],
  ['an oversold level that is covered by what is incoming needs nothing', 5, null, 0, 0],
  ['a level that is low after its drafts is filled beyond them', 45.6, 120, 60, 134.4],
  ['a level that is above its reorder point after its drafts needs nothing', 45.6, 120, 75, 0],
  ['an oversold level needs what is missing beyond its drafts', -7, null, 3, 4],
] as const)('%s', ([, projected, reorderPoint, drafted, expected]) => {
  const level = { projected: projected * MICRO, reorderPoint: micro(reorderPoint) };
  expect(getNeededQuantity(level, drafted * MICRO)).toBe(expected * MICRO);
});

test.for([
  ['whole purchase units', 61, 60, null, null, 2],
  ['whole units of the item without a purchase unit', 60.5, null, null, null, 61],
  ['at least the minimum order quantity', 1, 60, 5, null, 5],
  ['a multiple of the order multiple', 61, 60, null, 5, 5],
  ['a fractional multiple without binary rounding errors', 0.25, 1, null, 0.1, 1],
] as const)('a purchase is of %s', ([, needed, units, minimum, multiple, expected]) => {
  const purchaseUnitId = units === null ? null : 'box';
  const terms = {
    purchaseUnitId,
    unitsPerPurchaseUnit: (units ?? 60) * MICRO,
    minOrderQuantity: micro(minimum),
    orderMultiple: micro(multiple),
  };
  expect(getPurchaseQuantity(needed * MICRO, terms)).toBe(expected);
});
