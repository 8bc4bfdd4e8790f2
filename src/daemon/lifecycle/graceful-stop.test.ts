import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGracefulStop } from './graceful-stop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stop that records its steps. */
function createStop(seconds: number, shutDown: () => Promise<void> = () => Promise.resolve()) {
  const steps: string[] = [];
  const stop = createGracefulStop({
    getDrainSeconds: () => seconds,
    beginDraining: () => steps.push('drain'),
    shutDown: () => {
      steps.push('shut down');
      return shutDown();
    },
    log: { info: () => undefined },
  });
  return { stop, steps };
}

test('a stop shuts down after the drain time', async () => {
  const { stop, steps } = createStop(5);
  expect(stop.isDraining).toBe(false);
  const stopped = stop.stop();
  expect([steps, stop.isDraining]).toEqual([['drain'], true]);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(steps).toEqual(['drain']);
  await vi.advanceTimersByTimeAsync(1);
  await stopped;
  expect([steps, stop.isDraining]).toEqual([['drain', 'shut down'], false]);
  await stop.ended;
});

test('a second request to stop ends draining, and a third changes nothing', async () => {
  const { stop, steps } = createStop(5);
  const first = stop.stop();
  expect(stop.stop()).toBe(first);
  expect(stop.isDraining).toBe(false);
  await first;
  expect(stop.stop()).toBe(first);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(steps).toEqual(['drain', 'shut down']);
});

test('without a drain time a stop shuts down immediately', async () => {
  const { stop, steps } = createStop(0);
  const stopped = stop.stop();
  expect([steps, stop.isDraining]).toEqual([['shut down'], false]);
  await stopped;
});

test('a failed shutdown is reported', async () => {
  const { stop } = createStop(5, () => Promise.reject(new Error('disk full')));
  const stopped = stop.stop();
  void stop.stop();
  const results = await Promise.allSettled([stopped, stop.ended]);
  expect(results.map((result) => result.status === 'rejected' && String(result.reason))).toEqual(['Error: disk full', 'Error: disk full']);
});
