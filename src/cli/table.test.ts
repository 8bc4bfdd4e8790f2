import { describe, expect, test } from 'vitest';
import { painter } from './style.ts';
import { headerLine, layOut, recordLines, rowLine } from './table.ts';
import { fit, visible, widthOf } from './width.ts';

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const plain = painter(false);
const rows = [
  { id: ID, name: 'Hex bolt M6 with a name that goes on and on', salePrice: 0.35, supplier: { name: 'Sawmill' } },
  { id: ID, name: '咖啡豆', salePrice: 12, supplier: null },
];
const draw = (columns: string[], screen: number | undefined, keepAll = false, whole: string[] = []) => {
  const layout = layOut(columns, rows, { screen, keepAll, whole });
  return { lines: [headerLine(layout, plain), ...rows.map((row) => rowLine(layout, row))], hidden: layout.hidden };
};

describe('width', () => {
  test('counts what a terminal draws', () => {
    expect([
      widthOf('abc'),
      widthOf('Grün'),
      widthOf('咖啡'),
      widthOf('🎁'),
      widthOf('e\u0301'),
      widthOf('👩‍👩‍👧'),
      widthOf('ｱ'),
      widthOf('\u200b'),
    ]).toEqual([3, 4, 4, 2, 1, 2, 1, 0]);
  });
  test('cuts at a character, never through one', () => {
    expect(fit('abcdef', 4)).toBe('abc…');
    expect(fit('咖啡豆', 4)).toBe('咖…');
    expect(fit('咖啡', 4)).toBe('咖啡');
  });
  test('a record cannot drive the terminal', () => {
    expect(visible('a\u001b[2Jb\u009bc\nd')).toBe('a\ufffd[2Jb\ufffdc d');
    expect(visible('a\u202egpj.exe\u2066b\u2028c')).toBe('a\ufffdgpj.exe\ufffdb c');
    // Names that are written from right to left, and letters that are joined, stay as they are.
    for (const name of ['خدمة', 'שירות\u200f 1', '👩‍🚀', 'क्‍ष']) expect(visible(name)).toBe(name);
  });
});

describe('a table', () => {
  test('fits the screen: texts are shortened, numbers stand to the right, the id stands last and whole', () => {
    const { lines, hidden } = draw(['id', 'name', 'salePrice'], 70);
    expect(lines).toEqual([
      'NAME                  SALE PRICE  ID',
      `Hex bolt M6 with a …        0.35  ${ID}`,
      `咖啡豆                        12  ${ID}`,
    ]);
    expect(hidden).toEqual([]);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(70);
  });
  test('leaves out from the right what does not fit, but the id, and says what', () => {
    const columns = ['id', 'name', 'salePrice', 'supplier.name'];
    expect(draw(columns, 70).hidden).toEqual(['supplier.name']);
    expect(draw(columns, 60).hidden).toEqual(['salePrice', 'supplier.name']);
    expect(draw(columns, 20)).toMatchObject({ hidden: ['name', 'salePrice', 'supplier.name'], lines: ['ID', ID, ID] });
  });
  test('leaves an id where it is when people call the row by something else', () => {
    expect(draw(['name', 'id', 'salePrice'], 70).lines[0]).toBe('NAME                  ID                                    SALE PRICE');
    expect(draw(['name', 'salePrice', 'id'], 40).hidden).toEqual(['id']);
  });
  test('never cuts a column that is worth nothing in part: rather leaves out others', () => {
    expect(draw(['name', 'salePrice'], 40, false, ['name']).hidden).toEqual(['salePrice']);
    expect(draw(['name', 'salePrice'], 60, false, ['name']).hidden).toEqual([]);
  });
  test('never cuts a time: rather leaves out what follows', () => {
    const deliveries = [{ updatedAt: '2026-11-21T17:51:20.449Z', eventType: 'order.created', lastError: 'http_500' }];
    const columns = ['updatedAt', 'eventType', 'lastError'];
    const titles = (screen: number) => layOut(columns, deliveries, { screen, keepAll: false }).columns.map(({ width }) => width);
    expect([titles(80), titles(38), titles(30)]).toEqual([
      [16, 13, 10],
      [16, 13],
      [16, 12],
    ]);
  });
  test('keeps every column that was asked for', () => {
    expect(draw(['id', 'name', 'salePrice'], 40, true).hidden).toEqual([]);
  });
  test('names a column once', () => {
    const { columns } = layOut(['order.orderNumber', 'supplier.name', 'unit.symbol', 'item.sku', 'salePrice'], [], {
      screen: undefined,
      keepAll: false,
    });
    expect(columns.map(({ title }) => title)).toEqual(['ORDER', 'SUPPLIER', 'UNIT', 'ITEM SKU', 'SALE PRICE']);
  });
  test('without a screen nothing is shortened', () => {
    expect(draw(['name', 'supplier.name'], undefined).lines).toEqual([
      'NAME                                         SUPPLIER',
      'Hex bolt M6 with a name that goes on and on  Sawmill',
      '咖啡豆                                       –',
    ]);
  });
});

test('a record is names and values, long values below themselves', () => {
  expect(
    recordLines(['name', 'isActive', 'scopes'], { name: 'x', isActive: true, scopes: ['items:read', 'items:write'] }, plain, 24),
  ).toEqual(['name      x', 'isActive  yes', 'scopes    items:read,', '          items:write']);
});

test('a value of wide characters is broken where the screen ends', () => {
  expect(recordLines(['notes'], { notes: '咖啡豆 烘焙 日期' }, plain, 18)).toEqual(['notes  咖啡豆 烘焙', '       日期']);
});
