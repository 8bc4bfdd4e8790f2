import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bits } from './bits.ts';
import { compareValues } from './compare.ts';
import { GroupedOrder } from './grouped-order.ts';
import { type Order, Ordered } from './ordered.ts';

const SEED = 20_261_121;
const SLOTS = 200;
const KEYS = ['a', 'b', null, 'c', 3] as const;

const held = fc.array(fc.record({ key: fc.constantFrom(...KEYS), at: fc.nat(40) }), { minLength: SLOTS, maxLength: SLOTS });

test('answers exactly as one order of the whole does, whatever comes and goes, whole groups too', () => {
  fc.assert(
    fc.property(
      held,
      fc.array(fc.nat(SLOTS - 1), { maxLength: 120 }),
      fc.nat(SLOTS),
      fc.nat(SLOTS),
      fc.boolean(),
      (rows, slots, from, count, reload) => {
        const within = (a: number, b: number): number => rows[a]!.at - rows[b]!.at || a - b;
        const keyOf = (slot: number) => rows[slot]!.key;
        const whole: Order = new Ordered((a, b) => compareValues(keyOf(a), keyOf(b)) || within(a, b));
        const grouped: Order = new GroupedOrder(keyOf, compareValues, within);
        const present = new Set<number>();
        const check = (): void => {
          const some = new Bits(SLOTS);
          for (const slot of present) if (slot % 3 > 0) some.add(slot);
          const answers = [whole, grouped].map((order) => {
            const back: number[] = [];
            const all = order.walkBack(order.size - Math.min(from, order.size), (slot) => back.push(slot) < count);
            return {
              size: order.size,
              all: [...order.toArray()],
              slice: order.slice(from, from + count),
              back: [all, back],
              ranks: [...KEYS].map((key) => order.rank((slot) => compareValues(keyOf(slot), key) < 0)),
              picked: [false, true].map((descending) => order.pick(some, from % 7, count, descending)),
            };
          });
          expect(answers[1]).toEqual(answers[0]);
        };
        for (const slot of slots) {
          const change = present.has(slot) ? 'remove' : 'insert';
          for (const order of [whole, grouped]) order[change](slot);
          if (change === 'insert') present.add(slot);
          else present.delete(slot);
        }
        check();
        if (reload) grouped.replaceAll(whole.toArray());
        // One group after another becomes empty.
        for (const key of KEYS) {
          for (const slot of present) if (keyOf(slot) === key) for (const order of [whole, grouped]) order.remove(slot);
          for (const slot of present) if (keyOf(slot) === key) present.delete(slot);
          check();
        }
      },
    ),
    { seed: SEED, numRuns: 150 },
  );
});
