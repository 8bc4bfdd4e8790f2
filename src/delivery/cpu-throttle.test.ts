import { expect, test } from 'vitest';
import { CpuThrottle, type Performance } from './cpu-throttle.ts';

/** A throttle on a clock and an event loop utilization that the test sets. */
function createThrottle() {
  let [now, utilization] = [1_000, 0];
  const performance = {
    now: () => now,
    eventLoopUtilization: () => ({ idle: 0, active: 0, utilization }),
  } satisfies Performance;
  return {
    throttle: new CpuThrottle(performance),
    pass: (ms: number) => void (now += ms),
    setUtilization: (value: number) => void (utilization = value),
  };
}

test('without API requests, full batches start immediately', () => {
  const { throttle } = createThrottle();
  expect(throttle.getDelayMs()).toBeLessThanOrEqual(0);
  throttle.onBatchStarted(throttle.now());
  expect(throttle.getDelayMs()).toBeLessThanOrEqual(0);
  expect(throttle.getBatchSize(false)).toBe(16);
});

test('each API commit delays the next batch by 1 ms, at most by 15 ms in all', () => {
  const { throttle, pass } = createThrottle();
  throttle.onBatchStarted(throttle.now());
  throttle.onApiCommit();
  expect([throttle.getDelayMs(), throttle.getBatchSize(false)]).toEqual([1, 0]);
  for (let count = 0; count < 100; count += 1) throttle.onApiCommit();
  expect(throttle.getDelayMs()).toBe(15);
  pass(15);
  expect([throttle.getDelayMs(), throttle.getBatchSize(false)]).toEqual([0, 16]);
});

test('under constant API commits a small batch starts every 40 ms, or more rarely when starting a batch takes long', () => {
  const { throttle, pass } = createThrottle();
  const commitFor = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1) {
      throttle.onApiCommit();
      throttle.onApiCommit();
      pass(1);
    }
  };
  throttle.onBatchStarted(throttle.now());
  commitFor(39);
  expect(throttle.getBatchSize(true)).toBe(0);
  commitFor(1);
  expect(throttle.getBatchSize(true)).toBe(10);
  const startedAt = throttle.now();
  pass(2);
  throttle.onBatchStarted(startedAt);
  commitFor(77);
  expect(throttle.getBatchSize(true)).toBe(0);
  commitFor(1);
  expect(throttle.getBatchSize(true)).toBe(10);
});

test('transactions of API requests delay a batch only while the event loop is busy', () => {
  const { throttle, setUtilization } = createThrottle();
  throttle.onBatchStarted(throttle.now());
  expect(throttle.getBatchSize(true)).toBe(16);
  setUtilization(0.95);
  expect(throttle.getBatchSize(true)).toBe(0);
  expect(throttle.getDelayMs()).toBe(1);
});
