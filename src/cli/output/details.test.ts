import { expect, test } from 'vitest';
import { formatDetails } from './details.ts';
import { createPaint } from './style.ts';

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const draw = (paths: string[], record: unknown, terminalWidth: number | undefined, keepAll = false) =>
  formatDetails(paths, record, { paint: createPaint(false), terminalWidth, keepAll });

test('a record is printed as labels and values, and long values are wrapped', () => {
  expect(draw(['name', 'isActive', 'scopes'], { name: 'x', isActive: true, scopes: ['items:read', 'items:write'] }, 24)).toEqual([
    'Name       x',
    'Is active  yes',
    'Scopes     items:read,',
    '           items:write',
  ]);
});

test('a value with wide characters is wrapped at the width of the terminal', () => {
  expect(draw(['notes'], { notes: '咖啡豆 烘焙 日期' }, 18)).toEqual(['Notes  咖啡豆 烘焙', '       日期']);
});

test('ids come last, those of named records are left out, and empty fields share a line', () => {
  const record = { id: ID, name: 'Bolt', sku: null, categoryId: ID, assignedTo: ID, notes: '', category: { name: 'Fasteners' } };
  const paths = ['id', 'name', 'sku', 'categoryId', 'assignedTo', 'notes', 'category.name'];
  expect(draw(paths, record, 80)).toEqual([
    'Name         Bolt',
    'Category     Fasteners',
    `ID           ${ID}`,
    `Assigned to  ${ID}`,
    'Not set      SKU, notes',
  ]);
  expect(draw(['id', 'notes', 'name'], record, 80, true)).toEqual([`ID     ${ID}`, 'Notes  –', 'Name   Bolt']);
});

test('amounts have the decimals of their currency', () => {
  expect(draw(['total'], { total: 420, currency: 'EUR' }, 80)).toEqual(['Total  420.00 EUR']);
  expect(draw(['total'], { total: 420, currency: 'JPY' }, 80)).toEqual(['Total  420 JPY']);
  expect(draw(['salePrice'], { salePrice: 7.9 }, 80)).toEqual(['Sale price  7.90']);
});
