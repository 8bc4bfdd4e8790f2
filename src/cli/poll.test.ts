import { expect, test } from 'vitest';
import { paceMs } from './poll.ts';

test.for([1, 60, 300, 10_000])('a key that may send %i a minute keeps at least half of them', (limit) => {
  expect(60_000 / paceMs(limit)).toBeLessThanOrEqual(limit / 2);
});
