import { describe, expect, test } from 'vitest';
import { NOW, busyState } from '../../test/support/dashboard-states.ts';
import { measureWidth } from '../cli/output/text-width.ts';
import { renderLimits } from './watch-limits.ts';

describe('usage --watch', () => {
  test('renders fewer lines than the screen has, the keys with the least remaining, and counts the others', () => {
    const lines = renderLimits(busyState(60), NOW, { width: 80, height: 10 });
    expect(lines).toHaveLength(9);
    expect(lines[1]).toMatch(/^pk_test_00000000 +\[#+\] +0\/120 left/u);
    expect(lines[7]).toMatch(/^pk_test_00000006 .* 6\/120 left/u);
    expect(lines[8]).toBe('53 more keys with more remaining');
  });

  test('shows every key if there is room', () => {
    const lines = renderLimits(busyState(8), NOW, { width: 80, height: 10 });
    expect(lines).toHaveLength(9);
    expect(lines.join('\n')).not.toContain('more keys');
  });

  test('draws the requests of the last hour as the overview does, if there is room', () => {
    const draw = (height: number): string => renderLimits(busyState(8), NOW, { width: 80, height }).join('\n');
    expect(draw(24)).toMatch(/\n\n {2}Requests {2}\d+ in the last hour, \d+ with 4xx\n {2}\.+█ {2}all\n {2}\.+█ {2}4xx$/u);
    expect(draw(12)).not.toContain('in the last hour,');
  });

  test.for([20, 40, 60, 80, 200])('shows the remaining requests in %i columns and no line is wider', (width) => {
    const lines = renderLimits(busyState(8), NOW, { width, height: 24 });
    expect(Math.max(...lines.map(measureWidth))).toBeLessThanOrEqual(width);
    if (width >= 40) expect(lines[8]).toContain('7/120 left');
  });
});
