import { expect, test } from 'vitest';
import { RATE_LIMIT } from '../../contract/headers.ts';
import { type Clock, RateLimiter, RateLimitWaitTooLong } from './rate-limiter.ts';

/** A clock that advances only when the limiter sleeps. */
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
  const limiter = new RateLimiter({ signal: stop.signal, clock, maxWait, onWait: (seconds, limit) => waits.push([seconds, limit]) });
  return { limiter, slept, waits, stop, advance: (milliseconds: number) => (now += milliseconds) };
}

const rateHeaders = (remaining: number, { limit = 10, reset = 1000, left = 60 } = {}) => ({
  [RATE_LIMIT.limit]: String(limit),
  [RATE_LIMIT.remaining]: String(remaining),
  [RATE_LIMIT.reset]: String(reset),
  [RATE_LIMIT.state]: `"default";r=${String(remaining)};t=${String(left)}`,
});

/** Whether it resolves without anything else happening. */
const isOpen = async (promise: Promise<boolean>): Promise<boolean> =>
  Promise.race([promise, new Promise<false>((resolve) => setImmediate(() => resolve(false)))]);

test('the limiter sends one request first and holds the others until its response', async () => {
  const { limiter } = setUp();
  expect(await isOpen(limiter.acquire())).toBe(true);
  const second = limiter.acquire();
  expect(await isOpen(second)).toBe(false);
  limiter.release(rateHeaders(9));
  expect(await isOpen(second)).toBe(true);
});

test('the limiter counts requests in flight, and waits for the next window when none remains', async () => {
  const { limiter, slept, waits, advance } = setUp();
  await limiter.acquire();
  limiter.release(rateHeaders(2));
  expect(await Promise.all([limiter.acquire(), limiter.acquire()])).toEqual([true, true]);
  const third = limiter.acquire();
  expect(await isOpen(third)).toBe(false);
  expect(slept).toEqual([]);
  advance(20_000);
  limiter.release(rateHeaders(1, { left: 40 }));
  limiter.release(rateHeaders(0, { left: 40 }));
  expect(await third).toBe(true);
  expect(slept).toEqual([40_000]);
  expect(waits).toEqual([[40, 10]]);
});

test('the limiter ignores stale counts of reordered responses and of earlier windows', async () => {
  const { limiter } = setUp();
  await limiter.acquire();
  limiter.release(rateHeaders(5));
  await Promise.all([limiter.acquire(), limiter.acquire()]);
  limiter.release(rateHeaders(3));
  limiter.release(rateHeaders(4));
  expect(limiter.estimateSeconds(3)).toBeNull();
  expect(limiter.estimateSeconds(4)).not.toBeNull();
  await limiter.acquire();
  limiter.release(rateHeaders(9, { reset: 900 }));
  expect(limiter.estimateSeconds(4)).not.toBeNull();
});

test('the limiter waits as long as a 429 says', async () => {
  const { limiter, slept } = setUp();
  await limiter.acquire();
  limiter.onRefused(7);
  expect(await limiter.acquire()).toBe(true);
  expect(slept).toEqual([7_000]);
});

test('the limiter throws if the wait exceeds the maximum', async () => {
  const { limiter, slept } = setUp(30);
  await limiter.acquire();
  limiter.onRefused(31);
  await expect(limiter.acquire()).rejects.toThrow(RateLimitWaitTooLong);
  expect(slept).toEqual([]);
});

test('the limiter does not limit requests without rate-limit headers', async () => {
  const { limiter } = setUp();
  await limiter.acquire();
  limiter.release({});
  expect(await Promise.all(Array.from({ length: 50 }, () => limiter.acquire()))).not.toContain(false);
});

test('the limiter rejects new and waiting requests after the job was stopped', async () => {
  const { limiter, stop } = setUp();
  await limiter.acquire();
  const waiting = limiter.acquire();
  stop.abort();
  expect(await waiting).toBe(false);
  expect(await limiter.acquire()).toBe(false);
});

test('the limiter estimates the minimum time of a number of requests', async () => {
  const { limiter } = setUp();
  await limiter.acquire();
  limiter.release(rateHeaders(4, { limit: 10, left: 30 }));
  expect(limiter.estimateSeconds(4)).toBeNull();
  expect(limiter.estimateSeconds(14)).toBe(30);
  expect(limiter.estimateSeconds(15)).toBe(90);
});
