import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Key } from '../values/compare.ts';
import { checkProperty } from '../../../../test/support/property.ts';
import { PostingLists } from './posting-lists.ts';

const VALUES = ['a', 'b', null, 7] as const;
const LOADED = 700;

const key: fc.Arbitrary<Key> = fc.oneof(fc.constantFrom(...VALUES), fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }));
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ slot: fc.nat(LOADED + 20), key }) },
  { weight: 2, arbitrary: fc.record({ slot: fc.nat(LOADED + 20), key: fc.constant(undefined) }) },
  { weight: 1, arbitrary: fc.constant('build' as const) },
);

test('an index that is built while rows are added, changed and removed contains their final values', async () => {
  await checkProperty(
    fc.property(fc.array(key, { minLength: LOADED, maxLength: LOADED }), fc.array(step, { maxLength: 60 }), (loaded, steps) => {
      const keys: (Key | undefined)[] = [...loaded];
      const index = new PostingLists();
      index.startBuild();
      const build = (enough: () => boolean): void => index.build(keys.length, (slot) => keys[slot], enough);
      for (const each of steps) {
        if (each === 'build') {
          build(() => true);
          continue;
        }
        // Slots are used one after another.
        const slot = Math.min(each.slot, keys.length);
        const before = keys[slot];
        if (before !== undefined) index.remove(before, slot);
        keys[slot] = each.key;
        if (each.key !== undefined) index.add(each.key, slot);
      }
      build(() => false);
      expect(index.isComplete).toBe(true);
      for (const value of VALUES) {
        const found: number[] = [];
        index.forEach(value, (slot) => found.push(slot));
        const expected = keys.flatMap((held, slot) =>
          (Array.isArray(held) ? held.includes(value as string) : held !== undefined && held === value) ? [slot] : [],
        );
        expect([value, index.count(value), found.toSorted((a, b) => a - b)]).toEqual([value, expected.length, expected]);
      }
    }),
    { shortRuns: 60 },
  );
});

test('a change of the slot that is built next is left to the build', () => {
  const keys: Key[] = Array.from({ length: LOADED }, () => 'a');
  const index = new PostingLists();
  index.startBuild();
  index.build(
    LOADED,
    (slot) => keys[slot],
    () => true,
  );
  const next = index.count('a');
  index.remove('a', next);
  keys[next] = 'b';
  index.add('b', next);
  expect([index.count('a'), index.count('b')]).toEqual([next, 0]);
  index.build(
    LOADED,
    (slot) => keys[slot],
    () => false,
  );
  expect([index.count('a'), index.count('b')]).toEqual([LOADED - 1, 1]);
});
