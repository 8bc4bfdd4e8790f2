import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';
import { createFormat, toLabel } from './values.ts';

test('times are those of the time zone of the tenant, and money is in its currency', () => {
  const tokyo = createFormat('JPY', 'Asia/Tokyo', 'en-US');
  expect(tokyo.time('2026-11-25T20:30:00Z')).toBe('Nov 26, 2026, 5:30 AM');
  expect(tokyo.money(1_250)).toBe('¥1,250');
  expect(tokyo.money(1_250, 'EUR')).toBe('€1,250.00');
  const lisbon = createFormat('EUR', 'Europe/Lisbon', 'en-US');
  expect(lisbon.money(0.012_5)).toBe('€0.0125');
  expect(lisbon.amount(19.537_571)).toBe('€19.54');
});

test('money has at least the decimals of its currency', () => {
  const { money, amount } = createFormat('KWD', 'UTC', 'en-US');
  expect([money(5.5), amount(61)].map((text) => text.replace(/\s/u, ' '))).toEqual(['KWD 5.500', 'KWD 61.000']);
});

test('money of an unknown currency has none, and whole amounts stay whole', () => {
  const { money, amount } = createFormat(undefined, 'UTC', 'en-US');
  expect([money(1_250.5), money(0.012_5), amount(19.537_571), money(3, 'USD')]).toEqual(['1,250.50', '0.0125', '19.54', '$3.00']);
  expect([money(4_800), amount(609)]).toEqual(['4,800', '609']);
});

test('an axis has times and days in the form of other times', () => {
  const { ticks } = createFormat('EUR', 'Europe/Lisbon', 'pt-PT');
  const at = Date.UTC(2026, 10, 25, 18) / 1_000;
  expect(ticks([at, at + 14_400, at + 28_800], 14_400)).toEqual(['18:00\n25/11', '22:00', '02:00\n26/11']);
  expect(createFormat('EUR', 'UTC', 'en-US').ticks([at, at + 86_400], 86_400)).toEqual(['Nov 25', 'Nov 26']);
});

test('days have no time zone', () => {
  for (const zone of ['Pacific/Auckland', 'America/Los_Angeles'])
    expect(createFormat('EUR', zone, 'en-US').day('2026-12-01')).toBe('Dec 1, 2026');
});

test('nothing is shown as a dash', () => {
  const { money, number, day, time } = createFormat('EUR', 'UTC', 'en-US');
  expect([money(null), number(undefined), day(null), time('')]).toEqual(['–', '–', '–', '–']);
});

test('fields have readable labels', () => {
  expect(['salePrice', 'in_progress', 'sku', 'targetUrl', 'category_id', 'externalId'].map(toLabel)).toEqual([
    'Sale price',
    'In progress',
    'SKU',
    'Target URL',
    'Category',
    'External ID',
  ]);
});

test('cells of a file are quoted where needed, and never formulas', () => {
  const cells = ['A', 'x,"y"', '=1+1', -5, null, 'two\nlines', '@cmd'];
  const rows = toCsv(cells.map((cell) => [cell])).split('\r\n');
  expect(rows).toEqual(['A', '"x,""y"""', "'=1+1", '-5', '', '"two\nlines"', "'@cmd", '']);
});
