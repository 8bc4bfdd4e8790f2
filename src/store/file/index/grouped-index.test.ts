import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitSet } from './bit-set.ts';
import { compareValues } from '../values/compare.ts';
import { checkProperty } from '../../../../test/support/property.ts';
import { GroupedIndex } from './grouped-index.ts';
import { type OrderedIndex, ChunkedIndex } from './ordered-index.ts';

const SLOTS = 200;
const KEYS = ['a', 'b', null, 'c', 3] as const;

const heldRows = fc.array(fc.record({ key: fc.constantFrom(...KEYS), at: fc.nat(40) }), { minLength: SLOTS, maxLength: SLOTS });

test('a grouped index returns what an ungrouped one does after any inserts and removals, also of whole groups', async () => {
  await checkProperty(
    fc.property(
      heldRows,
      fc.array(fc.nat(SLOTS - 1), { maxLength: 120 }),
      fc.nat(SLOTS),
      fc.nat(SLOTS),
      fc.boolean(),
      (rows, slots, from, count, reload) => {
        const within = (a: number, b: number): number => rows[a]!.at - rows[b]!.at || a - b;
        const getKey = (slot: number) => rows[slot]!.key;
        const ungrouped: OrderedIndex = new ChunkedIndex((a, b) => compareValues(getKey(a), getKey(b)) || within(a, b));
        const grouped: OrderedIndex = new GroupedIndex(getKey, compareValues, within);
        const present = new Set<number>();
        const check = (): void => {
          const some = new BitSet(SLOTS);
          for (const slot of present) if (slot % 3 > 0) some.add(slot);
          const answers = [ungrouped, grouped].map((order) => {
            const back: number[] = [];
            const all = order.scanBackward(order.size - Math.min(from, order.size), (slot) => back.push(slot) < count);
            return {
              size: order.size,
              all: [...order.toArray()],
              slice: order.slice(from, from + count),
              back: [all, back],
              ranks: [...KEYS].map((key) => order.rank((slot) => compareValues(getKey(slot), key) < 0)),
              picked: [false, true].map((descending) => order.select(some, from % 7, count, descending)),
            };
          });
          expect(answers[1]).toEqual(answers[0]);
        };
        for (const slot of slots) {
          const change = present.has(slot) ? 'remove' : 'insert';
          for (const order of [ungrouped, grouped]) order[change](slot);
          if (change === 'insert') present.add(slot);
          else present.delete(slot);
        }
        check();
        if (reload) grouped.replaceAll(ungrouped.toArray());
        // Empty one group after another.
        for (const key of KEYS) {
          for (const slot of present) if (getKey(slot) === key) for (const order of [ungrouped, grouped]) order.remove(slot);
          for (const slot of present) if (getKey(slot) === key) present.delete(slot);
          check();
        }
      },
    ),
    { shortRuns: 150 },
  );
});
