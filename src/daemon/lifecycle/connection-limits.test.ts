import { expect, test } from 'vitest';
import { CONNECTIONS_MAX } from '../../contract/limits.ts';
import { readMaxFiles, toConnectionLimits } from './connection-limits.ts';

test('toConnectionLimits keeps files for everything but connections', () => {
  expect(toConnectionLimits(Infinity)).toEqual({ max: CONNECTIONS_MAX, excess: 4 * CONNECTIONS_MAX });
  expect(toConnectionLimits(20_000).max).toBe(CONNECTIONS_MAX);
  for (const maxFiles of [64, 256, 1_024, 1_500, 4_096]) {
    const { max, excess } = toConnectionLimits(maxFiles);
    expect(max + excess, String(maxFiles)).toBeLessThanOrEqual(maxFiles - Math.min(128, maxFiles / 2));
    expect(Math.min(max, excess), String(maxFiles)).toBeGreaterThan(0);
  }
});

test.runIf(process.platform === 'linux')('readMaxFiles returns the limit of this process', () => {
  const { userLimits } = process.report.getReport() as { userLimits: { open_files: { soft: number | 'unlimited' } } };
  const { soft } = userLimits.open_files;
  expect(readMaxFiles()).toBe(soft === 'unlimited' ? Infinity : soft);
});
