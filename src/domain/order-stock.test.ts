import { describe, expect, test } from 'vitest';
import { MICRO } from './numbers.ts';
import type { KitPart, OrderLineRecord } from './order-records.ts';
import { flowOf, fulfilmentOf, netWorth, requirementsOf, withPosting } from './order-stock.ts';

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
const part = (itemId: string, per: number): KitPart => ({ itemId, numerator: String(per), denominator: '1', step: '1', posted: 0 });

test('which lines wait for stock follows from the module and the kind', () => {
  expect(flowOf('buy', line())).toBe('incoming');
  expect(flowOf('sell', line())).toBe('committed');
  expect(flowOf('make', line({ kind: 'output' }))).toBe('incoming');
  expect(flowOf('make', line({ kind: 'component' }))).toBe('committed');
  expect(flowOf('fix', line({ kind: 'part' }))).toBe('committed');
  for (const kind of ['target', 'service', 'inspection'] as const) expect(flowOf('fix', line({ kind }))).toBeNull();
  expect(flowOf('sell', line({ kit: [] }))).toBeNull();
});

describe('posting for a line', () => {
  test('fulfils it piece by piece, never more than it asks for, and takes that back', () => {
    const some = withPosting(line(), posting(4 * MICRO), 1);
    expect(some).toMatchObject({ fulfilledQuantity: 4 * MICRO, posted: { stock: 4 * MICRO, quantity: 4 * MICRO } });
    expect(some && withPosting(some, posting(7 * MICRO), 1)).toBeUndefined();
    expect(some && withPosting(some, posting(6 * MICRO), 1)).toMatchObject({ fulfilledQuantity: 10 * MICRO });
    expect(some && withPosting(some, posting(4 * MICRO), -1)).toEqual(line());
    expect(withPosting(line(), posting(1, { itemId: 'another' }), 1)).toBeUndefined();
  });

  test('three pounds in three deliveries are three pounds, whatever a pound is in kilograms', () => {
    let now = line({ quantity: 3 * MICRO, unitId: 'lb', stockQuantity: 1_361_000, stockFactor: '45359237/100000000' });
    for (let each = 0; each < 3; each += 1) {
      now = withPosting(now, { itemId: 'item', unitId: 'lb', quantity: MICRO, stockQuantity: 454_000 }, 1) ?? now;
    }
    expect(now).toMatchObject({ fulfilledQuantity: 3 * MICRO, posted: { quantity: 3 * MICRO } });
    expect(requirementsOf(now)).toMatchObject([{ remaining: 0 }]);
  });

  test('taking back what was posted in another unit leaves no dust, also after the line was changed', () => {
    const posted = withPosting(
      line({ quantity: 3 * MICRO, unitId: 'lb', stockQuantity: 1_361_000 }),
      { itemId: 'item', unitId: 'kg', quantity: 500_000, stockQuantity: 500_000 },
      1,
    );
    const grown = posted && { ...posted, quantity: 7 * MICRO, stockQuantity: 3_175_000 };
    const back = grown && withPosting(grown, { itemId: 'item', unitId: 'kg', quantity: 500_000, stockQuantity: 500_000 }, -1);
    expect(back).toMatchObject({ fulfilledQuantity: 0, posted: { stock: 0, quantity: 0 } });
  });

  test('a combo is fulfilled as far as all of its parts are', () => {
    let now = line({ quantity: 4 * MICRO, stockQuantity: 4 * MICRO, kit: [part('bag', 3), part('mug', 1)] });
    expect(requirementsOf(now).map(({ itemId, remaining }) => [itemId, remaining])).toEqual([
      ['bag', 12 * MICRO],
      ['mug', 4 * MICRO],
    ]);
    now = withPosting(now, posting(12 * MICRO, { itemId: 'bag' }), 1) ?? now;
    expect(now.fulfilledQuantity).toBe(0);
    now = withPosting(now, posting(MICRO, { itemId: 'mug' }), 1) ?? now;
    expect(now.fulfilledQuantity).toBe(MICRO);
    expect(withPosting(now, posting(MICRO, { itemId: 'bag' }), 1)).toBeUndefined();
    expect(withPosting(now, posting(MICRO, { itemId: 'spoon' }), 1)).toBeUndefined();
  });
});

test('an order is partly fulfilled as soon as anything is posted for it', () => {
  const kit = [{ ...part('bag', 3), posted: 1 }, part('mug', 1)];
  expect(fulfilmentOf([line()])).toBe('none');
  expect(fulfilmentOf([line({ kit }), line()])).toBe('partial');
  expect(fulfilmentOf([line({ fulfilledQuantity: 10 * MICRO })])).toBe('full');
});

test('a purchase costs its price net of discount, and its parts as much as the whole', () => {
  expect(netWorth(line(), MICRO)).toBeNull();
  const bag = line({ unitPrice: 24 * MICRO, discountPercent: 10 * MICRO, quantity: 2 * MICRO, stockQuantity: 24 * MICRO });
  expect(netWorth(bag, 24 * MICRO)).toBe(43_200_000);
  const dozens = line({ unitPrice: 10 * MICRO, quantity: 3 * MICRO, stockQuantity: 36 * MICRO });
  expect([36, 13, 23].map((pieces) => netWorth(dozens, pieces * MICRO))).toEqual([30_000_000, 10_833_333, 19_166_667]);
});
