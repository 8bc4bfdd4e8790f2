import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Pacing, afterRateLimited, afterRequest, INITIAL_PACING, maxRequestsPerMinute, getDelay } from './request-pacing.ts';
import { checkProperty } from '../../../test/support/property.ts';

const START = 1_700_000_000_000;
const answer = (limit: number, remaining: number, resetSeconds = 60) => ({ limit, remaining, resetSeconds });

test('pacing never exceeds half of the rate limit in any minute, including the first round', async () => {
  const runs = fc.record({
    limit: fc.integer({ min: 1, max: 700 }),
    delays: fc.array(fc.nat(400), { minLength: 300, maxLength: 300 }),
    rushed: fc.nat(300),
  });
  await checkProperty(
    fc.property(runs, ({ limit, delays, rushed }) => {
      let [now, pace] = [START, INITIAL_PACING];
      const asked: number[] = [];
      for (const [index, delay] of delays.entries()) {
        now += getDelay(pace, now, index < rushed) + delay;
        asked.push(now);
        pace = afterRequest(pace, now, answer(limit, limit));
      }
      // Any window of a minute that begins with a request.
      for (const [first, from] of asked.entries()) {
        const inMinute = asked.slice(first).filter((at) => at < from + 60_000).length;
        expect(inMinute).toBeLessThanOrEqual(maxRequestsPerMinute(limit));
      }
    }),
  );
});

test('maxRequestsPerMinute is half of the limit and at least one', () => {
  expect([120, 3, 1].map(maxRequestsPerMinute)).toEqual([60, 1, 1]);
});

test('requests are spread over the minute after the first round', () => {
  const pace = afterRequest(INITIAL_PACING, START, answer(120, 119));
  expect(getDelay(pace, START, true)).toBe(0);
  expect(getDelay(pace, START, false)).toBe(1_000);
  expect(getDelay(afterRequest(INITIAL_PACING, START, answer(20, 19)), START, false)).toBe(6_000);
});

test('pacing waits for the next window when three quarters of this one are used', () => {
  const pace: Pacing = afterRequest(INITIAL_PACING, START, answer(120, 29, 42));
  expect(getDelay(pace, START, true)).toBe(42_000);
});

test('pacing honors Retry-After', () => {
  expect(getDelay(afterRateLimited(INITIAL_PACING, START, 17), START, true)).toBe(17_000);
});
