/** Wishes: what a caller might ask of stock. Many of them are wrong in some state. */
import fc from 'fast-check';

export type Type = 'receipt' | 'issue' | 'transfer' | 'adjustment' | 'count' | 'production';
export type Module = 'buy' | 'sell' | 'make' | 'fix';

const small = fc.integer({ min: 1, max: 9 });
const wishedLine = fc.record({
  item: fc.nat({ max: 2 }),
  quantity: small,
  cost: fc.option(fc.integer({ min: 0, max: 999 })),
  loss: fc.boolean(),
  stale: fc.constantFrom('none', 'right', 'wrong'),
  /** The quantity in the item's own unit, in another unit of its dimension, or less than the smallest quantity of the own unit. */
  unit: fc.oneof(
    { weight: 20, arbitrary: fc.constant('own' as const) },
    { weight: 10, arbitrary: fc.constant('other' as const) },
    { weight: 1, arbitrary: fc.constant('tiny' as const) },
  ),
});
const lines = fc.array(wishedLine, { minLength: 1, maxLength: 4 });
const types = fc.constantFrom<Type>('receipt', 'receipt', 'issue', 'transfer', 'adjustment', 'count', 'production');
const document = {
  type: types,
  site: fc.nat({ max: 1 }),
  lines,
  order: fc.option(fc.nat(), { freq: 2 }),
  /** The lines name no line of the order. */
  isUnlinked: fc.nat({ max: 7 }).map((n) => n === 0),
};
export const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('draft' as const), ...document }) },
  { weight: 7, arbitrary: fc.record({ what: fc.constant('post' as const), ...document }) },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('act' as const),
      at: fc.nat(),
      action: fc.constantFrom('submit', 'approve', 'approve', 'cancel', 'recall', 'delete'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('order' as const),
      module: fc.constantFrom<Module>('buy', 'sell', 'make', 'fix'),
      isDraft: fc.boolean(),
      lines,
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      what: fc.constant('move' as const),
      at: fc.nat(),
      to: fc.constantFrom('open', 'draft', 'in_progress', 'completed', 'completed', 'completed', 'cancelled'),
      none: fc.nat({ max: 4 }).map((n) => n === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('resize' as const), at: fc.nat(), line: fc.nat(), quantity: small }) },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('edit' as const), at: fc.nat(), line: fc.nat(), add: fc.option(wishedLine, { freq: 2 }) }),
  },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('complete' as const), at: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('reopen' as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('race' as const), item: fc.nat({ max: 2 }), site: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('replay' as const), other: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const) }) },
);
export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
export type Wish<W extends Operation['what']> = Extract<Operation, { what: W }>;
export type WishedLine = typeof wishedLine extends fc.Arbitrary<infer T> ? T : never;
