import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Pace, afterRefusal, afterRequest, newPace, shareOf, waitOf } from './pace.ts';

const SEED = 20_261_121;

const START = 1_700_000_000_000;
const answer = (limit: number, remaining: number, resetSeconds = 60) => ({ limit, remaining, resetSeconds });

test('in no minute it asks more than half of what the key may, also in the hurry of the first round', () => {
  const runs = fc.record({
    limit: fc.integer({ min: 1, max: 700 }),
    delays: fc.array(fc.nat(400), { minLength: 300, maxLength: 300 }),
    rushed: fc.nat(300),
  });
  fc.assert(
    fc.property(runs, ({ limit, delays, rushed }) => {
      let [now, pace] = [START, newPace];
      const asked: number[] = [];
      for (const [index, delay] of delays.entries()) {
        now += waitOf(pace, now, index < rushed) + delay;
        asked.push(now);
        pace = afterRequest(pace, now, answer(limit, limit));
      }
      // Any window of a minute that begins with a request.
      for (const [first, from] of asked.entries()) {
        const inMinute = asked.slice(first).filter((at) => at < from + 60_000).length;
        expect(inMinute).toBeLessThanOrEqual(shareOf(limit));
      }
    }),
    { seed: SEED, numRuns: 30 },
  );
});

test('half of a limit is half, and at least one', () => {
  expect([120, 3, 1].map(shareOf)).toEqual([60, 1, 1]);
});

test('after the first round requests are spread over the minute', () => {
  const pace = afterRequest(newPace, START, answer(120, 119));
  expect(waitOf(pace, START, true)).toBe(0);
  expect(waitOf(pace, START, false)).toBe(1_000);
  expect(waitOf(afterRequest(newPace, START, answer(20, 19)), START, false)).toBe(6_000);
});

test('when others have used three quarters of the window, it waits for the next one', () => {
  const pace: Pace = afterRequest(newPace, START, answer(120, 29, 42));
  expect(waitOf(pace, START, true)).toBe(42_000);
});

test('a refusal is obeyed', () => {
  expect(waitOf(afterRefusal(newPace, START, 17), START, true)).toBe(17_000);
});
