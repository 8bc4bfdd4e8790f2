import { expect, test } from 'vitest';
import { RATE_LIMIT } from '../../contract/headers.ts';
import { type Clock, TooLong, newPace } from './pace.ts';

/** A clock that moves only when somebody sleeps. */
function setUp(maxWait = 60) {
  let now = 0;
  const slept: number[] = [];
  const clock: Clock = {
    now: () => now,
    sleep(milliseconds) {
      slept.push(milliseconds);
      now += milliseconds;
      return Promise.resolve();
    },
  };
  const stop = new AbortController();
  const waits: (readonly [number, number | null])[] = [];
  const pace = newPace({ signal: stop.signal, clock, maxWait, onWait: (seconds, limit) => waits.push([seconds, limit]) });
  return { pace, slept, waits, stop, advance: (milliseconds: number) => (now += milliseconds) };
}

const told = (remaining: number, { limit = 10, reset = 1000, left = 60 } = {}) => ({
  [RATE_LIMIT.limit]: String(limit),
  [RATE_LIMIT.remaining]: String(remaining),
  [RATE_LIMIT.reset]: String(reset),
  [RATE_LIMIT.state]: `"default";r=${String(remaining)};t=${String(left)}`,
});

/** Whether it resolves without anything else happening. */
const isOpen = async (promise: Promise<boolean>): Promise<boolean> =>
  Promise.race([promise, new Promise<false>((resolve) => setImmediate(() => resolve(false)))]);

test('nothing is known at first, so one request goes ahead and the others wait for its answer', async () => {
  const { pace } = setUp();
  expect(await isOpen(pace.enter())).toBe(true);
  const second = pace.enter();
  expect(await isOpen(second)).toBe(false);
  pace.leave(told(9));
  expect(await isOpen(second)).toBe(true);
  expect(pace.limit).toBe(10);
});

test('what is on its way counts as used, and when nothing remains the window is waited out', async () => {
  const { pace, slept, waits, advance } = setUp();
  await pace.enter();
  pace.leave(told(2));
  expect(await Promise.all([pace.enter(), pace.enter()])).toEqual([true, true]);
  const third = pace.enter();
  expect(await isOpen(third)).toBe(false);
  expect(slept).toEqual([]);
  advance(20_000);
  pace.leave(told(1, { left: 40 }));
  pace.leave(told(0, { left: 40 }));
  expect(await third).toBe(true);
  expect(slept).toEqual([40_000]);
  expect(waits).toEqual([[40, 10]]);
});

test('answers that come out of order do not give back what later ones have used, and an old window tells nothing', async () => {
  const { pace } = setUp();
  await pace.enter();
  pace.leave(told(5));
  await Promise.all([pace.enter(), pace.enter()]);
  pace.leave(told(3));
  pace.leave(told(4));
  expect(pace.secondsFor(3)).toBeNull();
  expect(pace.secondsFor(4)).not.toBeNull();
  await pace.enter();
  pace.leave(told(9, { reset: 900 }));
  expect(pace.secondsFor(4)).not.toBeNull();
});

test('a 429 is waited out as long as it says', async () => {
  const { pace, slept } = setUp();
  await pace.enter();
  pace.refused(7);
  expect(await pace.enter()).toBe(true);
  expect(slept).toEqual([7_000]);
});

test('a wait longer than allowed is an error, not a wait', async () => {
  const { pace, slept } = setUp(30);
  await pace.enter();
  pace.refused(31);
  await expect(pace.enter()).rejects.toThrow(TooLong);
  expect(slept).toEqual([]);
});

test('a service without rate headers is not held back', async () => {
  const { pace } = setUp();
  await pace.enter();
  pace.leave({});
  expect(await Promise.all(Array.from({ length: 50 }, () => pace.enter()))).not.toContain(false);
});

test('a stopped job lets nobody in, not even those who wait', async () => {
  const { pace, stop } = setUp();
  await pace.enter();
  const waiting = pace.enter();
  stop.abort();
  expect(await waiting).toBe(false);
  expect(await pace.enter()).toBe(false);
});

test('what a number of requests needs at least follows from the limit', async () => {
  const { pace } = setUp();
  await pace.enter();
  pace.leave(told(4, { limit: 10, left: 30 }));
  expect(pace.secondsFor(4)).toBeNull();
  expect(pace.secondsFor(14)).toBe(30);
  expect(pace.secondsFor(15)).toBe(90);
});
