import { expect, test } from 'vitest';
import { BoundedCache, CacheBudget } from './cache.ts';

const createCache = (budget: CacheBudget) => new BoundedCache<number, string>(budget, () => 1);
const listCached = (cache: BoundedCache<number, string>, keys: readonly number[]) => keys.filter((key) => cache.get(key) !== undefined);

test('entries that are often used stay when the budget is exceeded, and the oldest others go', () => {
  const cache = createCache(new CacheBudget(4));
  for (const key of [1, 2, 3, 4]) cache.set(key, 'value');
  for (let round = 0; round < 13; round += 1) for (const key of [1, 2]) cache.get(key);
  cache.set(5, 'value');
  expect(listCached(cache, [1, 2, 3, 4, 5])).toEqual([1, 2, 4, 5]);
});

test('the entries of all caches of a budget together weigh no more than it', () => {
  const budget = new CacheBudget(100);
  const [left, right] = [createCache(budget), createCache(budget)];
  const keys = Array.from({ length: 300 }, (_, key) => key);
  for (const key of keys) {
    left.set(key, 'value');
    right.set(key, 'value');
    left.get(key);
  }
  const kept = listCached(left, keys).length + listCached(right, keys).length;
  expect(kept).toBeLessThanOrEqual(100);
  expect(kept).toBeGreaterThan(80);
});

test('replaced, deleted and cleared entries no longer count', () => {
  const cache = createCache(new CacheBudget(4));
  for (let round = 0; round < 10; round += 1) {
    for (const key of [1, 2, 3, 4]) cache.set(key, String(round));
    if (round % 2 === 0) cache.clear();
    else for (const key of [1, 2]) cache.delete(key);
  }
  expect(listCached(cache, [1, 2, 3, 4])).toEqual([3, 4]);
  for (const key of [5, 6]) cache.set(key, 'value');
  expect(listCached(cache, [3, 4, 5, 6])).toEqual([3, 4, 5, 6]);
});

test('a budget knows only caches that have entries', () => {
  const budget = new CacheBudget(100);
  const caches = Array.from({ length: 50 }, () => createCache(budget));
  expect(budget.cacheCount).toBe(0);
  for (const cache of caches) for (const key of [1, 2]) cache.set(key, 'value');
  expect(budget.cacheCount).toBe(50);
  for (const cache of caches.slice(10)) for (const key of [1, 2]) cache.delete(key);
  for (const cache of caches.slice(0, 9)) cache.clear();
  expect(budget.cacheCount).toBe(1);
  caches.at(-1)!.set(1, 'value');
  for (let key = 0; key < 200; key += 1) caches[0]!.set(key, 'value');
  expect(listCached(caches[9]!, [1, 2])).toEqual([]);
  expect(budget.cacheCount).toBe(1);
});

test('an entry that is heavier than the budget is not kept', () => {
  const cache = new BoundedCache<number, string>(new CacheBudget(4), ({ length }) => length);
  cache.set(1, 'abc');
  cache.set(2, 'abcde');
  expect(cache.get(2)).toBeUndefined();
});

test('one heavy entry can replace any number of light ones', () => {
  const cache = new BoundedCache<number, string>(new CacheBudget(50_000), ({ length }) => length);
  for (let key = 0; key < 50_000; key += 1) cache.set(key, 'a');
  cache.set(50_000, 'a'.repeat(49_990));
  expect(cache.get(50_000)).toHaveLength(49_990);
});
