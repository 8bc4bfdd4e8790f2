import { expect, test } from 'vitest';
import { OwnedLeases } from './owned-leases.ts';

const LIFETIME_MS = 10_000;

function createOwned() {
  let now = 0;
  const owned = new OwnedLeases(LIFETIME_MS, () => now);
  return { owned, pass: (ms: number) => (now += ms) };
}
const list = (text: string): readonly string[] => text.split('');
const names = (text: string): ReadonlySet<string> => new Set(list(text));

test('a lease is usable until a tenth of its lifetime before it expires, counted from when the statement was sent', () => {
  const { owned, pass } = createOwned();
  pass(3_000);
  // Sent at 1000, so it does not expire before 11000.
  expect(owned.add(['a'], 1_000)).toEqual(['a']);
  pass(6_999);
  expect(owned.isUsable('a')).toBe(true);
  pass(1);
  expect([owned.isUsable('a'), owned.has('a'), owned.isUsable('b')]).toEqual([false, true, false]);
});

test('a renewal reports only leases that were not usable before, and forgets those that it did not renew', () => {
  const { owned, pass } = createOwned();
  owned.add(['a', 'b'], 0);
  pass(3_000);
  expect(owned.renew(['a', 'c'], 3_000)).toEqual(['c']);
  expect([owned.has('b'), owned.isUsable('b')]).toEqual([false, false]);
  pass(9_000);
  expect(owned.renew(['a', 'c'], 12_000)).toEqual(['a', 'c']);
});

test('what exceeds the share is given back: idle leases at once, others when they are no longer busy', () => {
  const { owned } = createOwned();
  owned.add(list('abcde'), 0);
  const busy = new Set('abcd');
  const isBusy = (name: string): boolean => busy.has(name);
  expect(owned.giveBack({ names: names('abcde'), share: 3, isBusy })).toEqual({ released: ['e'], resumed: [] });
  expect([owned.size, owned.isGivingBack]).toEqual([4, true]);
  const leaving = list('abcd').filter((name) => !owned.isUsable(name));
  expect(leaving).toHaveLength(1);
  // The same one leaves, although the others are as busy.
  expect(owned.giveBack({ names: names('abcde'), share: 3, isBusy })).toEqual({ released: [], resumed: [] });
  expect(list('abcd').filter((name) => !owned.isUsable(name))).toEqual(leaving);
  busy.delete(leaving[0]!);
  expect(owned.giveBack({ names: names('abcde'), share: 3, isBusy })).toEqual({ released: leaving, resumed: [] });
  expect([owned.size, owned.isGivingBack]).toEqual([3, false]);
});

test('a lease whose name no longer exists is given back, and one that is within the share again is resumed', () => {
  const { owned } = createOwned();
  owned.add(list('abc'), 0);
  const isBusy = (name: string): boolean => name !== 'c';
  expect(owned.giveBack({ names: names('ab'), share: 1, isBusy })).toEqual({ released: ['c'], resumed: [] });
  const leaving = list('ab').find((name) => !owned.isUsable(name));
  expect(owned.giveBack({ names: names('ab'), share: 2, isBusy })).toEqual({ released: [], resumed: [leaving] });
  expect([owned.isUsable('a'), owned.isUsable('b')]).toEqual([true, true]);
});
