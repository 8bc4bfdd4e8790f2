import { expect, test } from 'vitest';
import { formatSettings } from './settings.ts';
import { createPaint } from '../output/style.ts';
import { measureWidth } from '../output/text-width.ts';

const paint = createPaint(false);
const ROWS = [
  { setting: 'profile', value: 'local', origin: 'default' },
  { setting: 'url', value: 'http://127.0.0.1:8625', origin: '/home/someone/.local/share/stockroom/daemon.json' },
  { setting: 'tenant', value: null, origin: null },
];

test('settings are printed in columns if they fit', () => {
  expect(formatSettings(ROWS, true, 100, paint)).toEqual([
    'profile  local                  default',
    'url      http://127.0.0.1:8625  /home/someone/.local/share/stockroom/daemon.json',
    'tenant   –',
  ]);
});

test('settings have their origin on a separate line on a narrow terminal, and nothing is truncated', () => {
  const lines = formatSettings(ROWS, true, 60, paint);
  expect(lines).toEqual([
    'profile  local',
    '         from default',
    'url      http://127.0.0.1:8625',
    '         from /home/someone/.local/share/stockroom/daemon.json',
    'tenant   –',
  ]);
  expect(Math.max(...lines.slice(0, 3).map(measureWidth))).toBeLessThanOrEqual(60);
});

test('settings can be printed without origins', () => {
  expect(formatSettings(ROWS, false, 20, paint)).toEqual(['profile  local', 'url      http://127.0.0.1:8625', 'tenant   –']);
});
