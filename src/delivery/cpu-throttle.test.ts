import { expect, test } from 'vitest';
import { CpuThrottle, type Performance } from './cpu-throttle.ts';

/** A throttle on a clock and an event loop that the test moves. */
function createThrottle() {
  let [now, idle, active] = [0, 0, 0];
  const performance = {
    now: () => now,
    eventLoopUtilization(since) {
      const passed = { idle: idle - (since?.idle ?? 0), active: active - (since?.active ?? 0) };
      const total = passed.idle + passed.active;
      return { ...passed, utilization: total === 0 ? 0 : passed.active / total };
    },
  } satisfies Performance;
  const throttle = new CpuThrottle(performance);
  const pass = (ms: number, isBusy = false) => {
    now += ms;
    if (isBusy) active += ms;
    else idle += ms;
  };
  const commitFor = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1) {
      throttle.onApiCommit();
      throttle.onApiCommit();
      pass(1);
    }
  };
  /** Starts a batch, which takes `tookMs`. */
  const startBatch = (tookMs = 0) => {
    const startedAt = throttle.now();
    pass(tookMs);
    throttle.onBatchStarted(startedAt);
  };
  return { throttle, pass, commitFor, startBatch };
}

test('without API requests, full batches start immediately', () => {
  const { throttle, startBatch, pass } = createThrottle();
  expect([throttle.getDelayMs(), throttle.getBatchSize(false)]).toEqual([0, 16]);
  pass(5);
  startBatch();
  expect([throttle.getDelayMs(), throttle.getBatchSize(false)]).toEqual([-5, 16]);
});

test('each API commit delays the next batch by 1 ms, at most by 15 ms in all', () => {
  const { throttle, pass, startBatch } = createThrottle();
  pass(100);
  startBatch();
  throttle.onApiCommit();
  expect([throttle.getDelayMs(), throttle.getBatchSize(false)]).toEqual([1, 0]);
  throttle.onApiCommit();
  expect(throttle.getDelayMs()).toBe(2);
  for (let count = 0; count < 100; count += 1) throttle.onApiCommit();
  expect(throttle.getDelayMs()).toBe(15);
  pass(14);
  expect([throttle.getDelayMs(), throttle.getBatchSize(false)]).toEqual([1, 0]);
  pass(1);
  expect([throttle.getDelayMs(), throttle.getBatchSize(false)]).toEqual([0, 16]);
});

test('under constant API commits a small batch starts every 40 ms', () => {
  const { throttle, commitFor, startBatch } = createThrottle();
  for (let batches = 0; batches < 3; batches += 1) {
    commitFor(39);
    expect([throttle.getDelayMs(), throttle.getBatchSize(true)]).toEqual([1, 0]);
    commitFor(1);
    expect([throttle.getDelayMs(), throttle.getBatchSize(true)]).toEqual([0, 10]);
    startBatch();
  }
});

test.for([
  [0.5, 40],
  [2, 80],
  [3, 120],
  [4, 160],
  [10, 160],
] as const)('after a batch that took %s ms to start, the next small one starts %s ms after its start', ([tookMs, intervalMs]) => {
  const { throttle, commitFor, startBatch } = createThrottle();
  startBatch(tookMs);
  commitFor(Math.floor(intervalMs - tookMs - 1));
  expect(throttle.getBatchSize(true)).toBe(0);
  commitFor(2);
  expect(throttle.getBatchSize(true)).toBe(10);
});

test('transactions of API requests delay a batch by 1 ms while the event loop is busy', () => {
  const { throttle, pass, startBatch } = createThrottle();
  startBatch();
  pass(11, true);
  expect(throttle.getBatchSize(false)).toBe(16);
  expect([throttle.getBatchSize(true), throttle.getDelayMs()]).toEqual([0, 1]);
  for (let count = 0; count < 3; count += 1) throttle.onApiCommit();
  // The longer delay stays.
  expect([throttle.getBatchSize(true), throttle.getDelayMs()]).toEqual([0, 4]);
});

test('an event loop that was idle for a tenth of the time, in the last 10 ms or a little more, is not busy', () => {
  const { throttle, pass, startBatch } = createThrottle();
  startBatch();
  pass(1);
  pass(9, true);
  expect(throttle.getBatchSize(true)).toBe(16);
  // Within the same window, which is now longer than 10 ms; the next one starts here.
  pass(0.5, true);
  expect(throttle.getBatchSize(true)).toBe(0);
  pass(10);
  expect(throttle.getBatchSize(true)).toBe(16);
  pass(0.5, true);
  expect(throttle.getBatchSize(true)).toBe(16);
  pass(5, true);
  expect(throttle.getBatchSize(true)).toBe(0);
});
