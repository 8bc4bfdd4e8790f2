import { expect, test } from 'vitest';
import { createLocalRateWindows } from '../../../src/store/local-state/rate-windows.ts';
import { testRateWindows } from './rate-windows.ts';

testRateWindows('rate windows in memory', () => createLocalRateWindows());

test('rate windows in memory are removed an hour after they were opened, and no open one, whatever the clock of its tenant', () => {
  const at = { monotonic: 0 };
  const windows = createLocalRateWindows(() => at.monotonic);
  const now = Date.parse('2026-03-31T12:00:00Z');
  const YEAR_MS = 365 * 86_400_000;
  void windows.count('unused', 2, now);
  at.monotonic += 3_599_000;
  void windows.count('behind', 2, now - YEAR_MS);
  void windows.count('ahead', 2, now + YEAR_MS);
  at.monotonic += 1_000;
  void windows.count('used', 2, now);
  expect(windows.peek('unused', now)).toBeUndefined();
  expect(windows.peek('behind', now - YEAR_MS)).toMatchObject({ used: 1 });
  expect(windows.peek('ahead', now + YEAR_MS)).toMatchObject({ used: 1 });
  expect(windows.count('used', 2, now + 1)).toMatchObject({ used: 2 });
});
