import { expect, test } from 'vitest';
import { formatMetrics } from './exposition.ts';

test('label values and descriptions are escaped', () => {
  const labels = { name: 'a "quoted"\\\nvalue', other: 'ü' };
  const family = { name: 'x_total', type: 'counter', help: String.raw`With \ and` + '\nlines', samples: [{ labels, value: 1 }] } as const;
  expect(formatMetrics([family])).toBe(
    [
      String.raw`# HELP x_total With \\ and\nlines`,
      '# TYPE x_total counter',
      String.raw`x_total{name="a \"quoted\"\\\nvalue",other="ü"} 1`,
      '',
    ].join('\n'),
  );
});

test.each([
  [0, '0'],
  [0.1, '0.1'],
  [1e-7, '1e-7'],
  [1e21, '1e+21'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [Number.NaN, 'NaN'],
])('the value %s is written as %s', (value, text) => {
  expect(formatMetrics([{ name: 'x', type: 'gauge', help: 'x', samples: [{ value }] }])).toContain(`\nx ${text}\n`);
});

test('a family without samples is described', () => {
  expect(formatMetrics([{ name: 'x', type: 'gauge', help: 'Help.', samples: [] }])).toBe('# HELP x Help.\n# TYPE x gauge\n');
});
