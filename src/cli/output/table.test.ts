import { describe, expect, test } from 'vitest';
import { createPaint } from './style.ts';
import { formatHeader, layOutTable, formatRow } from './table.ts';
import { truncate, measureWidth } from './text-width.ts';

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const plain = createPaint(false);
const rows = [
  { id: ID, name: 'Hex bolt M6 with a name that goes on and on', salePrice: 0.35, supplier: { name: 'Sawmill' } },
  { id: ID, name: '咖啡豆', salePrice: 12, supplier: null },
];
const draw = (columns: string[], terminalWidth: number | undefined, keepAll = false, neverTruncated: string[] = []) => {
  const layout = layOutTable(columns, rows, { terminalWidth, keepAll, neverTruncated });
  return { lines: [formatHeader(layout, plain), ...rows.map((row) => formatRow(layout, row))], hidden: layout.hidden };
};

describe('width', () => {
  test('is measured in terminal columns', () => {
    expect([
      measureWidth('abc'),
      measureWidth('Grün'),
      measureWidth('咖啡'),
      measureWidth('🎁'),
      measureWidth('e\u0301'),
      measureWidth('👩‍👩‍👧'),
      measureWidth('ｱ'),
      measureWidth('\u200b'),
    ]).toEqual([3, 4, 4, 2, 1, 2, 1, 0]);
  });
  test('is limited without splitting characters', () => {
    expect(truncate('abcdef', 4)).toBe('abc…');
    expect(truncate('咖啡豆', 4)).toBe('咖…');
    expect(truncate('咖啡', 4)).toBe('咖啡');
  });
});

describe('a table', () => {
  test('has numbers on the right and the id last', () => {
    const { lines, hidden } = draw(['id', 'name', 'salePrice'], 100);
    expect(lines).toEqual([
      'NAME                                         SALE PRICE  ID',
      `Hex bolt M6 with a name that goes on and on        0.35  ${ID}`,
      `咖啡豆                                            12.00  ${ID}`,
    ]);
    expect(hidden).toEqual([]);
  });
  test('fits the terminal: the id is hidden, then texts are shortened', () => {
    const { lines, hidden } = draw(['id', 'name', 'salePrice'], 40);
    expect(lines).toEqual([
      'NAME                          SALE PRICE',
      'Hex bolt M6 with a name tha…        0.35',
      '咖啡豆                             12.00',
    ]);
    expect(hidden).toEqual(['id']);
    for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(40);
  });
  test('hides columns with one value in all rows before texts are shortened, and names the value', () => {
    const items = [
      { name: 'Bag 1 kg, matte black', isActive: true, notes: null, salePrice: 5 },
      { name: 'Bottle 330 ml with cap', isActive: true, notes: null, salePrice: 6 },
    ];
    const draws = (terminalWidth: number) =>
      layOutTable(['name', 'isActive', 'notes', 'salePrice'], items, { terminalWidth, keepAll: false });
    expect(draws(80)).toMatchObject({ hidden: [], constants: [], missing: [] });
    const narrow = draws(36);
    expect(formatRow(narrow, items[0])).toBe('Bag 1 kg, matte black            5');
    expect(narrow).toMatchObject({ hidden: ['isActive', 'notes'], constants: ['is active yes'], missing: [] });
    expect(draws(12)).toMatchObject({ hidden: ['isActive', 'notes', 'salePrice'], missing: ['salePrice'] });
  });
  test('hides columns from the right, the id first, and reports them', () => {
    const columns = ['id', 'name', 'salePrice', 'supplier.name'];
    expect(draw(columns, 70).hidden).toEqual(['id']);
    expect(draw(columns, 30).hidden).toEqual(['id', 'supplier.name']);
    expect(draw(columns, 20).hidden).toEqual(['id', 'salePrice', 'supplier.name']);
  });
  test('keeps an id in the first column if no other column names the record', () => {
    const columns = ['id', 'salePrice', 'supplier.name'];
    expect(draw(columns, 52).hidden).toEqual(['supplier.name']);
    expect(draw(columns, 20)).toMatchObject({ hidden: ['salePrice', 'supplier.name'], lines: ['ID', ID, ID] });
  });
  test('moves an id that is not the first column to the end, and hides it if it does not fit', () => {
    expect(draw(['name', 'id', 'salePrice'], 100).lines[0]).toMatch(/^NAME +SALE PRICE +ID$/u);
    expect(draw(['name', 'salePrice', 'id'], 40).hidden).toEqual(['id']);
  });
  test('hides other columns instead of truncating one that must not be truncated', () => {
    expect(draw(['name', 'salePrice'], 40, false, ['name']).hidden).toEqual(['salePrice']);
    expect(draw(['name', 'salePrice'], 60, false, ['name']).hidden).toEqual([]);
  });
  test('hides other columns instead of truncating a timestamp', () => {
    const deliveries = [{ updatedAt: '2026-11-21T17:51:20.449Z', eventType: 'order.created', lastError: 'http_500' }];
    const columns = ['updatedAt', 'eventType', 'lastError'];
    const titles = (terminalWidth: number) =>
      layOutTable(columns, deliveries, { terminalWidth, keepAll: false }).columns.map(({ width }) => width);
    expect([titles(80), titles(38), titles(30)]).toEqual([
      [16, 13, 10],
      [16, 13],
      [16, 12],
    ]);
  });
  test('keeps all columns that were selected', () => {
    expect(draw(['id', 'name', 'salePrice'], 40, true).hidden).toEqual([]);
  });
  test('shortens the titles of nested fields', () => {
    const { columns } = layOutTable(['order.orderNumber', 'supplier.name', 'unit.symbol', 'item.sku', 'salePrice'], [], {
      terminalWidth: undefined,
      keepAll: false,
    });
    expect(columns.map(({ title }) => title)).toEqual(['ORDER', 'SUPPLIER', 'UNIT', 'SKU', 'SALE PRICE']);
  });
  test('is not shortened without a terminal', () => {
    expect(draw(['name', 'supplier.name'], undefined).lines).toEqual([
      'NAME                                         SUPPLIER',
      'Hex bolt M6 with a name that goes on and on  Sawmill',
      '咖啡豆                                       –',
    ]);
  });
});

test('a long URL is shortened in the middle, so that its host and its end are shown', () => {
  const hooks = [{ name: 'Shop sync', targetUrl: 'https://shop.example/integrations/stockroom/webhooks/orders' }];
  const layout = layOutTable(['name', 'targetUrl'], hooks, { terminalWidth: 40, keepAll: false });
  expect(formatRow(layout, hooks[0])).toBe('Shop sync  https://shop.examp…oks/orders');
});

test('an id within a longer text keeps its end, which distinguishes it from others created at the same time', () => {
  const requests = [{ path: `/v1/stock-documents/${ID}/approve` }];
  const layout = layOutTable(['path'], requests, { terminalWidth: 45, keepAll: false });
  expect(formatRow(layout, requests[0])).toBe(`/v1/stock-documents/…${ID.slice(-16)}/approve`);
});

test('columns of ids come after all others, wherever they were', () => {
  const links = [{ name: 'Bolt', itemId: ID, quantity: 4, id: ID }];
  expect(
    layOutTable(['name', 'itemId', 'quantity', 'id'], links, { terminalWidth: 120, keepAll: false }).columns.map(({ path }) => path),
  ).toEqual(['name', 'quantity', 'itemId', 'id']);
  const all = { terminalWidth: 120, keepAll: true };
  expect(layOutTable(['itemId', 'name'], links, all).columns.map(({ path }) => path)).toEqual(['itemId', 'name']);
});

test('a status that needs attention is red, one that is well green, and any other plain', () => {
  const paint = (style: string, text: string): string => `<${style}>${text}`;
  const deliveries = ['failed', 'delivered', 'draft'].map((status) => ({ status }));
  const layout = layOutTable(['status'], deliveries, { terminalWidth: 80, keepAll: false });
  expect(deliveries.map((row) => formatRow(layout, row, paint))).toEqual(['<red>failed', '<green>delivered', 'draft']);
});
