import { expect, test } from 'vitest';
import { OPERATIONS } from '../../contract/index.ts';
import { getResourceSchema, listFields } from './fields.ts';
import { MONEY_FIELDS, formatMoney, toMoneyColumn } from './money.ts';
import { formatHeader, formatRow, layOutTable } from './table.ts';

const draw = (rows: readonly object[]) => {
  const layout = layOutTable(['total'], rows, { terminalWidth: 80, keepAll: false });
  return [formatHeader(layout, (_style, text) => text), ...rows.map((row) => formatRow(layout, row))];
};

test('amounts of one currency have its decimals, and the title names it', () => {
  const rows = [
    { total: 54, currency: 'EUR' },
    { total: 22.9, currency: 'EUR' },
    { total: null, currency: 'EUR' },
  ];
  expect(draw(rows)).toEqual(['TOTAL (EUR)', '      54.00', '      22.90', '          –']);
});

test('amounts of several currencies name their own', () => {
  expect(
    draw([
      { total: 54, currency: 'EUR' },
      { total: 5, currency: 'USD' },
    ]),
  ).toEqual(['    TOTAL', '54.00 EUR', ' 5.00 USD']);
});

test('amounts of several currencies have the decimals of their own', () => {
  expect(
    draw([
      { total: 5, currency: 'JPY' },
      { total: 5.5, currency: 'KWD' },
    ]),
  ).toEqual(['    TOTAL', '5     JPY', '5.500 KWD']);
});

test('amounts whose record names no currency have the decimals of the currency of the tenant', () => {
  const rows = [{ unitCost: 5.5 }, { unitCost: 640 }];
  const layout = layOutTable(['unitCost'], rows, { terminalWidth: 80, keepAll: false, tenantCurrency: 'KWD' });
  expect(rows.map((row) => formatRow(layout, row).trim())).toEqual(['5.500', '640.000']);
});

test('a title does not name the currency of the tenant in place of a column', () => {
  const rows = [{ unitCost: 5.5, quantity: 12 }];
  const title = (terminalWidth: number) =>
    formatHeader(layOutTable(['unitCost', 'quantity'], rows, { terminalWidth, keepAll: false, tenantCurrency: 'KWD' }), (_, text) => text);
  expect([title(30), title(20)]).toEqual(['UNIT COST (KWD)  QUANTITY', 'UNIT COST  QUANTITY']);
});

test('amounts of an unknown currency are aligned, and whole if all are', () => {
  expect(draw([{ total: 54 }, { total: 22.9 }])).toEqual(['TOTAL', '54.00', '22.90']);
  expect(draw([{ total: 54 }, { total: 640 }])).toEqual(['TOTAL', '   54', '  640']);
  expect(draw([{ total: 2.348968 }, { total: 0.21 }])).toEqual(['   TOTAL', '2.348968', '0.21']);
});

test('without a currency, whole amounts have the decimals of the other amounts of their record', () => {
  const lines = [{ line: { unitPrice: 6.95, lineTotal: 139 } }, { line: { unitPrice: 7, lineTotal: 7 } }];
  expect(toMoneyColumn('line.lineTotal', lines)?.least).toBe(2);
  expect(toMoneyColumn('line.lineTotal', lines.slice(1))?.least).toBe(0);
});

test('the value of a stock movement has the decimals of the other amounts, the value of other records has its own', () => {
  const movements = [{ value: 49.5, stockValueAfter: 49.5 }];
  expect(toMoneyColumn('value', movements)?.least).toBe(2);
  expect(toMoneyColumn('value', [{ value: 49.5 }])).toBeUndefined();
});

test('other columns are no money', () => {
  expect(toMoneyColumn('quantity', [{ quantity: 1.5 }])).toBeUndefined();
  expect(formatMoney(1.5, { least: 2, most: 2, currency: undefined }, {})).toBe('1.50');
});

test('every money field is a field of the contract', () => {
  const names = OPERATIONS.flatMap(({ result }) => listNames(result));
  expect(MONEY_FIELDS.filter((field) => !names.includes(field))).toEqual([]);
});

type Result = (typeof OPERATIONS)[number]['result'];
const listNames = (result: Result): readonly string[] =>
  listFields(getResourceSchema(result)).map((path) => path.slice(path.lastIndexOf('.') + 1));
