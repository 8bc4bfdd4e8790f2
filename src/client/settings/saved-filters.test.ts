import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSavedFilters } from './saved-filters.ts';

const TABS = ['deliveries', 'orders'];
const directory = mkdtempSync(join(tmpdir(), 'saved-filters-'));
const read = (filters: unknown) => {
  mkdirSync(join(directory, 'stockroom'), { recursive: true });
  writeFileSync(join(directory, 'stockroom', 'config.json'), JSON.stringify({ profiles: {}, dashboard: { filters } }));
  return readSavedFilters({ XDG_CONFIG_HOME: directory }, TABS);
};

test('saved filters have a key, a name, a query and a tab, by default the deliveries', () => {
  const late = { key: 'l', name: 'Late', tab: 'orders', query: 'status:late' };
  expect(read([late, { key: 'ä', name: 'Shop', query: 'shop' }])).toEqual([
    late,
    { key: 'ä', name: 'Shop', tab: 'deliveries', query: 'shop' },
  ]);
  expect(read(undefined)).toEqual([]);
});

test.each([
  ['none', 'must be a list'],
  [[null], 'entry 1: "key" must be one character'],
  [[{ key: 'ab', name: 'a', query: 'b' }], 'entry 1: "key" must be one character'],
  [[{ key: ' ', name: 'a', query: 'b' }], 'entry 1: "key" must be one character'],
  [
    [
      { key: 'a', name: 'a', query: 'b' },
      { key: 'a', name: 'b', query: 'c' },
    ],
    'entry 2: another entry has the key a',
  ],
  [[{ key: 'a', name: 'a' }], 'entry 1: "name" and "query" must be strings'],
  [[{ key: 'a', name: 'a', query: 'b', tab: 'stock' }], 'entry 1: "tab" must be one of deliveries, orders'],
])('an invalid section names the entry and what is right: %j', (filters, problem) => {
  expect(() => read(filters)).toThrow(`"dashboard.filters" ${problem}`);
});
