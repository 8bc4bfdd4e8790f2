import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ReplayProgress } from '../../../platform/daemon-state.ts';
import { ReplayReporter } from './replay-progress.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const MB = 1_000_000;

test('a replay of less than a second reports nothing', () => {
  const reports: ReplayProgress[] = [];
  const reporter = new ReplayReporter(10 * MB, (progress) => reports.push(progress));
  vi.advanceTimersByTime(999);
  reporter.update(10 * MB);
  reporter.finish();
  expect(reports).toEqual([]);
});

test('a longer replay reports its progress twice a second, and its end', () => {
  const reports: ReplayProgress[] = [];
  const reporter = new ReplayReporter(10 * MB, (progress) => reports.push(progress));
  for (let step = 1; step <= 20; step += 1) {
    vi.advanceTimersByTime(100);
    reporter.update((step * MB) / 2);
  }
  reporter.finish();
  expect(reports).toEqual([
    { replayedBytes: 5 * MB, totalBytes: 10 * MB, milliseconds: 1_000 },
    { replayedBytes: 7.5 * MB, totalBytes: 10 * MB, milliseconds: 1_500 },
    // Only the end of the replay reports the whole.
    { replayedBytes: 10 * MB - 1, totalBytes: 10 * MB, milliseconds: 2_000 },
    { replayedBytes: 10 * MB, totalBytes: 10 * MB, milliseconds: 2_000 },
  ]);
});
