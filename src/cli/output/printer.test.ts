import { describe, expect, test } from 'vitest';
import { type Page, printPages } from './printer.ts';
import type { Format } from './formats.ts';
import { getAlert } from '../views/stock-levels.ts';
import { createPaint } from './style.ts';

async function* pages(): AsyncGenerator<Page> {
  yield await Promise.resolve({ rows: [{ sku: 'A', onHand: 3, available: 1, isLow: true }] });
  yield await Promise.resolve({ rows: [{ sku: 'B', onHand: -1, available: -1, isLow: true }] });
}
const printed = async (format: Format, columns?: string): Promise<string> => {
  let text = '';
  const sink = { started: false, write: (more: string) => Promise.resolve(void (text += more)) };
  const view = {
    fields: ['sku', 'onHand', 'available', 'isLow'],
    columns: ['sku', 'alert', 'onHand'],
    derived: { alert: (row: unknown) => getAlert(row as { onHand: number; available: number; isLow: boolean }) },
  };
  await printPages(pages(), view, { format, columns, terminalWidth: undefined, paint: createPaint(false), sink });
  return text;
};

describe('a derived column', () => {
  test('is printed like other columns, on every page', async () => {
    expect(await printed('tsv')).toBe('sku\talert\tonHand\nA\tLOW\t3\nB\tBELOW ZERO\t-1\n');
    expect(await printed('csv', 'alert')).toBe('alert\r\nLOW\r\nBELOW ZERO\r\n');
    expect(await printed('ndjson', 'sku,alert')).toBe('{"sku":"A","alert":"LOW"}\n{"sku":"B","alert":"BELOW ZERO"}\n');
  });
  test('is not part of complete records', async () => {
    expect(await printed('ndjson')).toBe(
      '{"sku":"A","onHand":3,"available":1,"isLow":true}\n{"sku":"B","onHand":-1,"available":-1,"isLow":true}\n',
    );
    expect(await printed('json')).not.toContain('alert');
  });
});

test('a column that is hidden if empty is shown if the first page has a value, or if it was selected', async () => {
  const printTable = async (reorderPoint: number | null, columns?: string): Promise<string> => {
    let text = '';
    const sink = { started: false, write: (more: string) => Promise.resolve(void (text += more)) };
    const view = { fields: ['sku', 'reorderPoint'], columns: ['sku', 'reorderPoint'], hiddenIfEmpty: ['reorderPoint'] };
    const rows = [
      { sku: 'A', reorderPoint: null },
      { sku: 'B', reorderPoint },
    ];
    const page = async function* (): AsyncGenerator<Page> {
      yield await Promise.resolve({ rows });
    };
    await printPages(page(), view, { format: 'table', columns, terminalWidth: 80, paint: createPaint(false), sink });
    return text;
  };
  expect(await printTable(null)).toBe('SKU\nA\nB\n');
  expect(await printTable(0)).toContain('REORDER POINT');
  expect(await printTable(null, 'sku,reorderPoint')).toContain('REORDER POINT');
});
