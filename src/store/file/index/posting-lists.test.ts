import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Key } from '../../compare.ts';
import { checkProperty } from '../../../../test/support/property.ts';
import { PostingLists } from './posting-lists.ts';

const VALUES = ['a', 'b', null, 7] as const;
const SLOTS = 60;

const key: fc.Arbitrary<Key> = fc.oneof(fc.constantFrom(...VALUES), fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }));

test('an index contains the final values of rows that are added, changed and removed', async () => {
  const step = fc.record({ slot: fc.nat(SLOTS), key: fc.option(key, { nil: undefined }) });
  await checkProperty(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const keys: (Key | undefined)[] = [];
      const index = new PostingLists();
      for (const { slot, key: next } of steps) {
        const before = keys[slot];
        if (before !== undefined) index.remove(before, slot);
        keys[slot] = next;
        if (next !== undefined) index.add(next, slot);
      }
      for (const value of VALUES) {
        const found = [...index.get(value)];
        const expected = keys.flatMap((held, slot) =>
          (Array.isArray(held) ? held.includes(value as string) : held !== undefined && held === value) ? [slot] : [],
        );
        expect([value, found.toSorted((a, b) => a - b)]).toEqual([value, expected]);
      }
    }),
    { shortRuns: 60 },
  );
});
