import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkProperty } from '../../../../test/support/property.ts';
import { HashIndex } from './hash-index.ts';

const LAST_HASH = 3;
const hashes = Array.from({ length: LAST_HASH }, (_, at) => at + 1);

test('two indexes whose shared entries were removed before do not have the entries of each other', () => {
  const [first, second] = [new HashIndex(), new HashIndex()];
  first.add(1, 10);
  first.remove(1, 10);
  second.share(first);
  first.add(2, 20);
  second.add(3, 30);
  expect([first.find(2, () => true), first.find(3, () => true)]).toEqual([20, undefined]);
  expect([second.find(2, () => true), second.find(3, () => true)]).toEqual([undefined, 30]);
  expect(first.find(4, () => true)).toBeUndefined();
});

test('indexes that share entries find what was added to each of them, and nothing else', async () => {
  const change = fc.record({ at: fc.nat(2), from: fc.nat(2), hash: fc.integer({ min: 1, max: LAST_HASH }), kind: fc.nat(5) });
  await checkProperty(
    fc.property(fc.array(change, { minLength: 15, maxLength: 40 }), (changes) => {
      const indexes = [0, 1, 2].map(() => ({ index: new HashIndex(), model: new Map<number, number>() }));
      for (const [slot, { at, from, hash, kind }] of changes.entries()) {
        const [own, other] = [indexes[at]!, indexes[from]!];
        if (kind === 0 && at !== from) {
          own.index.share(other.index);
          own.model = new Map(other.model);
        } else if (kind <= 2) {
          const known = own.model.get(hash);
          if (known !== undefined) own.index.remove(hash, known);
          own.model.delete(hash);
        } else if (!own.model.has(hash)) {
          own.index.add(hash, slot);
          own.model.set(hash, slot);
        }
        for (const { index, model } of indexes) {
          expect(index.size).toBe(model.size);
          for (const each of hashes) expect(index.find(each, () => true)).toBe(model.get(each));
        }
      }
    }),
    { shortRuns: 1_000 },
  );
});
