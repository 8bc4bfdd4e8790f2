import { describe, expect, test } from 'vitest';
import { NOW, busyState } from '../../test/support/dashboard.ts';
import { widthOf } from '../cli/width.ts';
import { watchLines } from './watch.ts';

describe('usage --watch', () => {
  test('draws fewer lines than the screen has, of many keys those with the least left, and says how many are not there', () => {
    const lines = watchLines(busyState(60), NOW, { width: 80, height: 10 });
    expect(lines).toHaveLength(9);
    expect(lines[1]).toMatch(/^pk_test_00000000 +\[#+\] +0\/120 left/u);
    expect(lines[7]).toMatch(/^pk_test_00000006 .* 6\/120 left/u);
    expect(lines[8]).toBe('53 more keys, with more left');
  });

  test('shows every key where there is room', () => {
    const lines = watchLines(busyState(8), NOW, { width: 80, height: 10 });
    expect(lines).toHaveLength(9);
    expect(lines.join('\n')).not.toContain('more keys');
  });

  test.for([20, 40, 60, 80, 200])('what is left is seen in %i columns, and no line is longer', (width) => {
    const lines = watchLines(busyState(8), NOW, { width, height: 24 });
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
    if (width >= 40) expect(lines[8]).toContain('7/120 left');
  });
});
