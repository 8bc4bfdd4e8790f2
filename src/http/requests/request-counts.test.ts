import { expect, test } from 'vitest';
import { RequestCounts } from './request-counts.ts';

test('requests are counted by key and minute, for an hour, and only for the tenant of the key', () => {
  let now = 0;
  const counts = new RequestCounts(() => now);
  counts.count('a', 'one', 200);
  counts.count('a', 'one', 429);
  counts.count('b', 'two', 429);
  now += 60_000;
  counts.count('a', 'one', null);
  expect(counts.list('one').map(({ keyId, perMinute }) => [keyId, perMinute.length, ...perMinute.slice(-3)])).toEqual([['a', 60, 0, 2, 1]]);
  expect(counts.list('one')[0]?.rejectedPerMinute.slice(-3)).toEqual([0, 1, 0]);
  now += 58 * 60_000;
  expect(counts.list('one')[0]?.perMinute.slice(0, 3)).toEqual([2, 1, 0]);
  now += 60_000;
  expect(counts.list('one')[0]?.perMinute.slice(0, 2)).toEqual([1, 0]);
  expect(counts.list('two')).toEqual([]);
  now += 60_000;
  expect(counts.list('one')).toEqual([]);
});
