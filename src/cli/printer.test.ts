import { describe, expect, test } from 'vitest';
import { type Page, printPages } from './printer.ts';
import type { Format } from './formats.ts';
import { alertOf } from './stock-levels.ts';
import { painter } from './style.ts';

async function* pages(): AsyncGenerator<Page> {
  yield await Promise.resolve({ rows: [{ sku: 'A', onHand: 3, isLow: true }] });
  yield await Promise.resolve({ rows: [{ sku: 'B', onHand: -1, isLow: true }] });
}
const printed = async (format: Format, columns?: string): Promise<string> => {
  let text = '';
  const sink = { started: false, write: (more: string) => Promise.resolve(void (text += more)) };
  const view = {
    fields: ['sku', 'onHand', 'isLow', 'alert'],
    columns: ['sku', 'alert', 'onHand'],
    derived: { alert: (row: unknown) => alertOf(row as { onHand: number; isLow: boolean }) },
  };
  await printPages(pages(), view, { format, columns, screen: undefined, paint: painter(false), sink });
  return text;
};

describe('a derived column', () => {
  test('is a column like any other, on every page', async () => {
    expect(await printed('tsv')).toBe('sku\talert\tonHand\nA\tLOW\t3\nB\tBELOW ZERO\t-1\n');
    expect(await printed('csv', 'alert')).toBe('alert\r\nLOW\r\nBELOW ZERO\r\n');
    expect(await printed('ndjson', 'sku,alert')).toBe('{"sku":"A","alert":"LOW"}\n{"sku":"B","alert":"BELOW ZERO"}\n');
  });
  test('is no part of a whole record', async () => {
    expect(await printed('ndjson')).toBe('{"sku":"A","onHand":3,"isLow":true}\n{"sku":"B","onHand":-1,"isLow":true}\n');
    expect(await printed('json')).not.toContain('alert');
  });
});
