import { expect, test } from 'vitest';
import { createAttemptLimiter } from './attempt-limiter.ts';

const TRACKED_MAX = 10_000;

test('the limiter forgets only the oldest window when it tracks too many subjects', () => {
  const limiter = createAttemptLimiter(1);
  const start = new Date('2026-03-31T12:00:00Z');
  const later = new Date(start.getTime() + 61_000);
  const last = new Date(later.getTime() + 1_000);
  limiter.consume('renewed', start);
  limiter.consume('oldest', later);
  limiter.consume('renewed', later);
  for (let at = 2; at < TRACKED_MAX; at += 1) limiter.consume(`client ${String(at)}`, later);
  expect(limiter.getWaitSeconds('oldest', last)).toBe(59);
  expect(limiter.consume('one more', last)).toBe(0);
  expect(limiter.getWaitSeconds('oldest', last)).toBe(0);
  for (const client of ['renewed', 'client 2', 'one more'])
    expect([client, limiter.getWaitSeconds(client, last) > 0]).toEqual([client, true]);
});
