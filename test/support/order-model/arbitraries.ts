/** Wishes: what a caller might ask of orders. Some are wrong always, many are wrong in some status. */
import fc from 'fast-check';
import { ORDER_MODULES, ORDER_STATUSES, type OrderStatus } from '../../../src/contract/resources/orders.ts';

export type Contact = 'customer' | 'supplier' | 'house';

const quantity = fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 1, max: 9 }) }, { weight: 1, arbitrary: fc.constant(0.5) });
const newLine = fc.record({
  quantity,
  price: fc.option(fc.integer({ min: 0, max: 99_999 })),
  tax: fc.constantFrom(0, 6, 23),
  part: fc.boolean(),
});
const contact = fc.constantFrom<Contact | 'right'>('right', 'right', 'right', 'right', 'customer', 'supplier', 'house');
const wishes = {
  status: fc.constantFrom(...ORDER_STATUSES),
  contact,
  dueDate: fc.constantFrom('2026-05-09', '2026-05-10', '2026-06-01', '2026-06-02'),
  priority: fc.constantFrom('low', 'urgent'),
  notes: fc.constantFrom('a', 'b', null),
  stock: fc.constantFrom('auto' as const, 'none' as const),
  lines: fc.record({
    keep: fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }).map(Boolean), fc.option(quantity)), { maxLength: 5 }),
    add: fc.array(newLine, { maxLength: 2 }),
    foreignId: fc.integer({ min: 0, max: 12 }).map((at) => at === 0),
  }),
};
const anything = fc.record(wishes, { requiredKeys: [] });
const patch = fc.oneof(
  { weight: 1, arbitrary: anything },
  ...(['status', 'contact', 'dueDate', 'priority', 'notes', 'lines'] as const).map((field) => ({
    weight: field === 'lines' ? 4 : 1,
    arbitrary: anything.map((each): typeof each => (each[field] === undefined ? {} : { [field]: each[field] })),
  })),
  {
    weight: 1,
    arbitrary: fc.record(
      { status: fc.constant('completed' as const), stock: wishes.stock, lines: wishes.lines },
      { requiredKeys: ['status'] },
    ),
  },
);
// Valid next states keep histories going; random states would cancel most orders immediately.
const step = fc
  .constantFrom<OrderStatus>('open', 'open', 'in_progress', 'in_progress', 'waiting', 'completed', 'cancelled', 'draft')
  .map((status) => ({ status }));
export const op = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('create' as const),
      module: fc.constantFrom(...ORDER_MODULES),
      contact,
      status: fc.constantFrom('draft' as const, 'open' as const),
      lines: fc.array(newLine, { maxLength: 4 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('patch' as const), at: fc.nat(), patch }) },
  { weight: 5, arbitrary: fc.record({ what: fc.constant('patch' as const), at: fc.nat(), patch: step }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('same' as const), at: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('fulfil' as const), at: fc.nat(), line: fc.nat(), quantity: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('replay' as const), other: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('sync' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const) }) },
);
export type Patch = typeof anything extends fc.Arbitrary<infer T> ? T : never;
export type NewLine = typeof newLine extends fc.Arbitrary<infer T> ? T : never;
export type Op = typeof op extends fc.Arbitrary<infer T> ? T : never;
