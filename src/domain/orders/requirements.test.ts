import { describe, expect, test } from 'vitest';
import { MICRO } from '../kernel/numbers.ts';
import type { ComboPart, OrderLineRecord, OrderRecord } from './records.ts';
import {
  applyPosting,
  getFulfilledQuantity,
  getFulfilment,
  getLineFlow,
  getLineSiteId,
  getNetCost,
  isFullyProduced,
  listRequirements,
} from './requirements.ts';

const line = (more: Partial<OrderLineRecord> = {}): OrderLineRecord => ({
  id: 'line',
  orderId: 'order',
  lineNumber: 1,
  kind: 'item',
  itemId: 'item',
  itemName: 'Item',
  itemSku: null,
  description: 'Item',
  quantity: 10 * MICRO,
  unitId: 'pcs',
  stockQuantity: 10 * MICRO,
  stockFactor: '1',
  unitPrice: null,
  exactPrice: null,
  returned: null,
  discountPercent: 0,
  taxPercent: 0,
  lineSubtotal: 0,
  lineDiscount: 0,
  lineTax: 0,
  lineTotal: 0,
  fulfilledQuantity: 0,
  posted: { stock: 0, quantity: 0 },
  kit: null,
  siteId: null,
  notes: null,
  component: null,
  inspection: null,
  createdAt: '',
  updatedAt: '',
  ...more,
});
const posting = (quantity: number, more: object = {}) => ({ itemId: 'item', unitId: 'pcs', quantity, stockQuantity: quantity, ...more });
const part = (itemId: string, per: number): ComboPart => ({ itemId, numerator: String(per), denominator: '1', step: '1', posted: 0 });

test('getLineFlow depends on module and kind of line', () => {
  expect(getLineFlow('buy', line())).toBe('incoming');
  expect(getLineFlow('sell', line())).toBe('committed');
  expect(getLineFlow('make', line({ kind: 'output' }))).toBe('incoming');
  expect(getLineFlow('make', line({ kind: 'component' }))).toBe('committed');
  expect(getLineFlow('fix', line({ kind: 'part' }))).toBe('committed');
  for (const kind of ['target', 'service', 'inspection'] as const) expect(getLineFlow('fix', line({ kind }))).toBeNull();
  expect(getLineFlow('sell', line({ kit: [] }))).toBeNull();
});

describe('applyPosting', () => {
  test('fulfils a line in parts, refuses to exceed its quantity, and reverses postings', () => {
    const some = applyPosting(line(), posting(4 * MICRO), 1);
    expect(some).toMatchObject({ fulfilledQuantity: 4 * MICRO, posted: { stock: 4 * MICRO, quantity: 4 * MICRO } });
    expect(some && applyPosting(some, posting(7 * MICRO), 1)).toBeUndefined();
    expect(some && applyPosting(some, posting(6 * MICRO), 1)).toMatchObject({ fulfilledQuantity: 10 * MICRO });
    expect(some && applyPosting(some, posting(4 * MICRO), -1)).toEqual(line());
    expect(applyPosting(line(), posting(1, { itemId: 'another' }), 1)).toBeUndefined();
  });

  test('fulfils 3 lb with three postings of 1 lb, despite rounding to kg', () => {
    let current = line({ quantity: 3 * MICRO, unitId: 'lb', stockQuantity: 1_361_000, stockFactor: '45359237/100000000' });
    for (let count = 0; count < 3; count += 1) {
      current = applyPosting(current, { itemId: 'item', unitId: 'lb', quantity: MICRO, stockQuantity: 454_000 }, 1) ?? current;
    }
    expect(current).toMatchObject({ fulfilledQuantity: 3 * MICRO, posted: { quantity: 3 * MICRO } });
    expect(listRequirements(current)).toMatchObject([{ remaining: 0 }]);
  });

  test('reverses a posting in another unit without a remainder, even after the line was changed', () => {
    const posted = applyPosting(
      line({ quantity: 3 * MICRO, unitId: 'lb', stockQuantity: 1_361_000 }),
      { itemId: 'item', unitId: 'kg', quantity: 500_000, stockQuantity: 500_000 },
      1,
    );
    const grown = posted && { ...posted, quantity: 7 * MICRO, stockQuantity: 3_175_000 };
    const back = grown && applyPosting(grown, { itemId: 'item', unitId: 'kg', quantity: 500_000, stockQuantity: 500_000 }, -1);
    expect(back).toMatchObject({ fulfilledQuantity: 0, posted: { stock: 0, quantity: 0 } });
  });

  test('fulfils a combo as far as all of its parts are posted', () => {
    let current = line({ quantity: 4 * MICRO, stockQuantity: 4 * MICRO, kit: [part('bag', 3), part('mug', 1)] });
    expect(listRequirements(current).map(({ itemId, remaining }) => [itemId, remaining])).toEqual([
      ['bag', 12 * MICRO],
      ['mug', 4 * MICRO],
    ]);
    current = applyPosting(current, posting(12 * MICRO, { itemId: 'bag' }), 1) ?? current;
    expect(current.fulfilledQuantity).toBe(0);
    current = applyPosting(current, posting(MICRO, { itemId: 'mug' }), 1) ?? current;
    expect(current.fulfilledQuantity).toBe(MICRO);
    expect(applyPosting(current, posting(MICRO, { itemId: 'bag' }), 1)).toBeUndefined();
    expect(applyPosting(current, posting(MICRO, { itemId: 'spoon' }), 1)).toBeUndefined();
  });
});

describe('a line that is posted in another unit', () => {
  const pounds = (more: Partial<OrderLineRecord> = {}) => line({ quantity: 3 * MICRO, unitId: 'lb', stockQuantity: 1_361_000, ...more });

  test('is fulfilled by the smallest posting, and not fully before the last stock unit', () => {
    expect(getFulfilledQuantity(pounds())).toBe(0);
    expect(getFulfilledQuantity(pounds({ posted: { stock: 1, quantity: 0 } }))).toBe(1);
    expect(getFulfilledQuantity(pounds({ posted: { stock: 1_360_999, quantity: 3 * MICRO - 2 } }))).toBe(3 * MICRO - 2);
    expect(getFulfilledQuantity(pounds({ posted: { stock: 1_361_000, quantity: 3 * MICRO - 1 } }))).toBe(3 * MICRO);
    // The quantity in the unit of the line is complete before that in stock units.
    const rounded = pounds({ posted: { stock: 1_360_000, quantity: 3 * MICRO } });
    expect([getFulfilledQuantity(rounded), listRequirements(rounded)[0]?.remaining]).toEqual([3 * MICRO, 0]);
  });

  test('never requires less than nothing', () => {
    const remaining = (stock: number) => listRequirements(pounds({ posted: { stock, quantity: 2 * MICRO } }))[0]?.remaining;
    expect([remaining(1_362_000), remaining(1_361_000), remaining(1_360_999)]).toEqual([0, 0, 1]);
    const kit = [{ ...part('bag', 3), posted: 4 * MICRO }];
    expect(listRequirements(line({ quantity: MICRO, stockQuantity: MICRO, kit }))[0]?.remaining).toBe(0);
  });

  test('takes exactly its required stock, and reversing more than was posted leaves nothing', () => {
    const kilograms = (stockQuantity: number, sign: 1 | -1, before = pounds()) =>
      applyPosting(before, { itemId: 'item', unitId: 'kg', quantity: stockQuantity, stockQuantity }, sign);
    expect(kilograms(1_361_000, 1)).toMatchObject({ fulfilledQuantity: 3 * MICRO });
    expect(kilograms(1_361_001, 1)).toBeUndefined();
    expect(kilograms(500_000, -1)).toMatchObject({ fulfilledQuantity: 0, posted: { quantity: 0 } });
    const tiny = (quantity: number) => kilograms(500_000, -1, pounds({ posted: { stock: 500_001, quantity } }));
    expect(tiny(1)).toMatchObject({ fulfilledQuantity: 1, posted: { stock: 1, quantity: 0 } });
    expect(tiny(2 * MICRO)).toMatchObject({ posted: { stock: 1, quantity: 897_869 } });
    // A count of another document has no quantity of its own.
    expect(applyPosting(line(), { itemId: 'item', unitId: 'pcs', quantity: null, stockQuantity: MICRO }, 1)).toMatchObject({
      posted: { stock: MICRO, quantity: MICRO },
    });
  });

  test('is fulfilled for a combo by its least posted part', () => {
    const kit = [
      { ...part('bag', 3), posted: 5 * MICRO },
      { ...part('mug', 1), posted: 4 * MICRO },
    ];
    const combo = line({ quantity: 4 * MICRO, stockQuantity: 4 * MICRO, kit });
    expect(getFulfilledQuantity(combo)).toBe(1_666_666);
    expect(applyPosting(combo, posting(MICRO, { itemId: 'bag' }), -1)).toMatchObject({ fulfilledQuantity: 1_333_333 });
  });
});

test('isFullyProduced requires outputs, and all of each', () => {
  const output = (stock: number) => line({ kind: 'output', posted: { stock, quantity: stock } });
  expect(isFullyProduced([line({ kind: 'component' })])).toBe(false);
  expect(isFullyProduced([output(10 * MICRO), line({ kind: 'component' })])).toBe(true);
  expect(isFullyProduced([output(10 * MICRO), output(9 * MICRO)])).toBe(false);
});

test('getLineSiteId prefers the site of the line, then that of the order, then the default when it was opened', () => {
  const order = (siteId: string | null, stockSiteId: string | null) => ({ orderNumber: 'SO-1', siteId, stockSiteId }) as OrderRecord;
  expect(getLineSiteId(order('order', 'default'), { siteId: 'line' })).toBe('line');
  expect(getLineSiteId(order('order', 'default'), { siteId: null })).toBe('order');
  expect(getLineSiteId(order(null, 'default'), { siteId: null })).toBe('default');
  expect(() => getLineSiteId(order(null, null), { siteId: null })).toThrow('order SO-1 has no site');
});

test('getFulfilment returns partial as soon as anything is posted', () => {
  const kit = [{ ...part('bag', 3), posted: 1 }, part('mug', 1)];
  expect(getFulfilment([line()])).toBe('none');
  expect(getFulfilment([line({ kit }), line()])).toBe('partial');
  expect(getFulfilment([line({ fulfilledQuantity: 10 * MICRO })])).toBe('full');
  expect(getFulfilment([line({ fulfilledQuantity: 10 * MICRO }), line()])).toBe('partial');
});

test('getNetCost applies the discount, and the costs of parts add up to the total', () => {
  expect(getNetCost(line(), MICRO)).toBeNull();
  const bag = line({ unitPrice: 24 * MICRO, discountPercent: 10 * MICRO, quantity: 2 * MICRO, stockQuantity: 24 * MICRO });
  expect(getNetCost(bag, 24 * MICRO)).toBe(43_200_000);
  const dozens = line({ unitPrice: 10 * MICRO, quantity: 3 * MICRO, stockQuantity: 36 * MICRO });
  expect([36, 13, 23].map((pieces) => getNetCost(dozens, pieces * MICRO))).toEqual([30_000_000, 10_833_333, 19_166_667]);
});
