import { expect, test } from 'vitest';
import { settingLines } from './setting-lines.ts';
import { painter } from './style.ts';
import { widthOf } from './width.ts';

const paint = painter(false);
const ROWS = [
  { setting: 'profile', value: 'local', origin: 'default' },
  { setting: 'url', value: 'http://127.0.0.1:8625', origin: '/home/someone/.local/share/stockroom/daemon.json' },
  { setting: 'tenant', value: null, origin: null },
];

test('where it fits, everything stands in columns', () => {
  expect(settingLines(ROWS, true, 100, paint)).toEqual([
    'profile  local                  default',
    'url      http://127.0.0.1:8625  /home/someone/.local/share/stockroom/daemon.json',
    'tenant   –',
  ]);
});

test('on a narrow screen the origin stands below, and nothing is cut', () => {
  const lines = settingLines(ROWS, true, 60, paint);
  expect(lines).toEqual([
    'profile  local',
    '         from default',
    'url      http://127.0.0.1:8625',
    '         from /home/someone/.local/share/stockroom/daemon.json',
    'tenant   –',
  ]);
  expect(Math.max(...lines.slice(0, 3).map(widthOf))).toBeLessThanOrEqual(60);
});

test('without origins only values are told', () => {
  expect(settingLines(ROWS, false, 20, paint)).toEqual(['profile  local', 'url      http://127.0.0.1:8625', 'tenant   –']);
});
